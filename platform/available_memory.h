#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ddlbench::platform {

/// The amount of memory that can still be allocated, and what limits it: "RLIMIT_AS, ulimit -v", …
struct MemoryBound {
  std::int64_t bytes = 0;
  std::string what;
};

/// The available memory of the host, without swap: measuring a program that swaps is pointless.
struct AvailableMemory {
  MemoryBound process;  ///< for this process: RLIMIT_AS and RLIMIT_DATA, less what it already uses
  MemoryBound machine;  ///< for all processes here together: cgroup limits less their use, and MemAvailable
};

/// Reads the current values. `root` is prepended to /proc and /sys.
AvailableMemory available_memory(const std::string& root = "");

/// A function that is called right before memory is allocated.
using MemoryProbe = std::function<AvailableMemory()>;
AvailableMemory probe_memory();

/// Returns "not enough memory: needs 543 MiB (… bytes), 410 MiB (… bytes) available (RLIMIT_AS, ulimit -v)", for this
/// process or else for all processes here; empty if there is enough memory.
std::string why_not_enough(std::int64_t process_bytes, std::int64_t machine_bytes, const AvailableMemory& available);

}  // namespace ddlbench::platform
