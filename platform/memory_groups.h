#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::platform {

/// A control group (version 1 or 2) that limits memory and contains this process, directly or in a group below it.
struct MemoryGroup {
  std::string folder;
  std::int64_t limit_bytes = 0;
  std::int64_t used_bytes = 0;  ///< without the page cache, which the kernel reclaims on demand
};

/// Returns the memory of the machine.
std::int64_t installed_memory_bytes();

/// Returns the smallest limit of the groups of this process, or the machine's memory if that is less.
std::int64_t limited_memory_bytes();

/// Returns the groups from the one of this process up to the root. `root` is prepended to /proc and /sys.
std::vector<MemoryGroup> memory_groups(const std::string& root = "");

}  // namespace ddlbench::platform
