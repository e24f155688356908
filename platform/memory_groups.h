#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::platform {

/// A control group (version 1 or 2) that limits memory and has this process in it, or in a group below it.
struct MemoryGroup {
  std::string folder;
  std::int64_t limit_bytes = 0;
  std::int64_t used_bytes = 0;  ///< without what the kernel gives back when asked: pages of files
};

/// From this process's own up. `root` stands before /proc and /sys.
std::vector<MemoryGroup> memory_groups(const std::string& root = "");

}  // namespace ddlbench::platform
