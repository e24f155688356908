#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/launcher/launch_command.h"
#include "platform/own_memory_group.h"

namespace ddlbench::bench {

/// Limits the memory of a case's processes on this machine: all of them together by a control group, or each of them by
/// RLIMIT_DATA where this user may not create one. On other machines, Slurm applies the latter limit.
class MemoryLimit {
 public:
  /// `machines`: those over which the processes of a case are spread. `root`: see platform::OwnMemoryGroup.
  explicit MemoryLimit(std::int64_t bytes, int machines = 1, const std::string& root = "");

  /// Applies the limit to a case of so many processes.
  void apply(int processes, LaunchCommand& command) const;
  /// Returns "8.00 GiB for the processes of a case together (control group …)".
  std::string text() const;

 private:
  std::int64_t bytes_;
  int machines_;
  std::optional<platform::OwnMemoryGroup> group_;
};

}  // namespace ddlbench::bench
