#pragma once

#include <optional>
#include <string>

namespace ddlbench::platform {

/// How the machine is set up to run processes. `root` is prepended to /proc and /sys.
struct ProcessorSettings {
  std::optional<double> quota_cores;            ///< processor time per time that control groups allow; empty: no limit
  std::optional<std::string> scaling_governor;  ///< of the clock frequency of core 0: "performance"
  std::optional<bool> smt_active;               ///< whether cores run several threads at a time
  std::optional<std::string> numa_nodes;        ///< the nodes in use: "0-1"
};

/// What the system does not tell is empty.
ProcessorSettings processor_settings(const std::string& root = "");

}  // namespace ddlbench::platform
