#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::platform {

/// A control group that contains this process, directly or in a group below it.
struct ControlGroup {
  int version = 2;     ///< of the interface: 1 or 2
  std::string folder;  ///< with the group's files
};

/// Returns the groups of a controller ("memory", "cpu") from the one of this process up to the root. `root` is
/// prepended to /proc and /sys.
std::vector<ControlGroup> control_groups(const std::string& controller, const std::string& root = "");

}  // namespace ddlbench::platform
