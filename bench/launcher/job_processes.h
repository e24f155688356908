#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/launcher/child.h"

namespace ddlbench::bench {

/// Identifies the processes of a job that run on this machine: launcher, guards and ranks.
class JobProcesses {
 public:
  explicit JobProcesses(const Child& first);

  /// Called when a rank's process reports its start. Registers all processes that run now.
  void add_rank(int rank, std::int64_t process, const std::string& host);
  /// Returns a description: "rank 1 (process 12)", "the guard of rank 1 (process 11)", "process 10 (hydra_pmi_proxy)".
  std::string describe(pid_t process) const;
  /// Returns the first stopped process.
  std::optional<pid_t> stopped() const;

  /// Notes which processes have ended, in the order in which they ended; does not block.
  void look();
  /// Returns the process that ended first. Returns nothing if that was the job's first process, which ends the others,
  /// or if ranks run on other machines, where a process may have ended earlier.
  std::optional<pid_t> first_ended() const;
  /// Returns whether processes other than the first are known.
  bool has_others() const { return names_.size() > 1; }
  bool is_rank(pid_t process) const { return ranks_.contains(process); }

 private:
  const Child& first_;
  bool elsewhere_ = false;              ///< some ranks are on other machines
  std::map<pid_t, int> ranks_;          ///< ranks by process
  std::map<pid_t, int> guards_;         ///< likewise for the ranks' parent processes
  std::map<pid_t, std::string> names_;  ///< program names of all processes
  Descriptor watched_;                  ///< an epoll(7) of the descriptors below: reports ended processes in order
  std::map<pid_t, Descriptor> ends_;    ///< pidfd_open(2)
  std::vector<pid_t> ended_;
};

}  // namespace ddlbench::bench
