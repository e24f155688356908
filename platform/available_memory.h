#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ddlbench::platform {

/// How much memory can still be taken at present, and what sets that bound: "RLIMIT_AS, ulimit -v", …
struct MemoryBound {
  std::int64_t bytes = 0;
  std::string what;
};

/// Of the host, without swap: what is swapped is not worth measuring.
struct AvailableMemory {
  MemoryBound process;  ///< to this process: RLIMIT_AS and RLIMIT_DATA less what it has of each
  MemoryBound machine;  ///< to all here together: limits of control groups less what is used, MemAvailable
};

/// Read now. `root` stands before /proc and /sys.
AvailableMemory available_memory(const std::string& root = "");

/// Asked right before memory is taken.
using MemoryProbe = std::function<AvailableMemory()>;
AvailableMemory probe_memory();

/// "not enough memory: needs 543 MiB (… bytes), 410 MiB (… bytes) available (RLIMIT_AS, ulimit -v)", of this process or
/// else of all here; empty where it is enough.
std::string why_not_enough(std::int64_t process_bytes, std::int64_t machine_bytes, const AvailableMemory& available);

}  // namespace ddlbench::platform
