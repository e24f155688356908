#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/launcher/launch_command.h"
#include "platform/own_memory_group.h"

namespace ddlbench::bench {

/// Limits the memory of a case's processes on a machine: on this one all of them together by a control group, where
/// this user may create one, else each of them by RLIMIT_DATA; on the other machines of a Slurm job, to which Slurm
/// passes such limits on, always by the latter.
class MemoryLimit {
 public:
  /// `most_here`: the most processes of a case on one machine, if a case has processes on several; else nothing.
  /// `root`: see platform::OwnMemoryGroup.
  explicit MemoryLimit(std::int64_t bytes, std::optional<int> most_here = {}, const std::string& root = "");

  /// Applies the limit to a case of so many processes.
  void apply(int processes, LaunchCommand& command) const;
  std::int64_t bytes() const { return bytes_; }
  /// Returns "8.00 GiB for the processes of a case together (control group …)".
  std::string text() const;

 private:
  std::int64_t bytes_;
  std::optional<int> most_here_;
  std::optional<platform::OwnMemoryGroup> group_;
};

}  // namespace ddlbench::bench
