#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/launcher/child.h"

namespace ddlbench::bench {

/// What the processes of a job are, as far as they run on this machine: the launcher's, guards, ranks.
class JobProcesses {
 public:
  explicit JobProcesses(const Child& first);

  /// A rank's process says that it begins. Looks at all that run now.
  void add_rank(int rank, std::int64_t process, const std::string& host);
  /// "rank 1 (process 12)", "the guard of rank 1 (process 11)", "process 10 (hydra_pmi_proxy)"
  std::string describe(pid_t process) const;
  /// The first that is stopped.
  std::optional<pid_t> stopped() const;

  /// Notes which have ended, in their order; never waits.
  void look();
  /// The first that ended; nothing where that was the first process itself, which ends the others, or where ranks on
  /// other machines may have ended before.
  std::optional<pid_t> first_ended() const;
  /// Whether others are known but the first process.
  bool has_others() const { return names_.size() > 1; }
  bool is_rank(pid_t process) const { return ranks_.contains(process); }

 private:
  const Child& first_;
  bool elsewhere_ = false;              ///< some ranks are on other machines
  std::map<pid_t, int> ranks_;          ///< by process
  std::map<pid_t, int> guards_;         ///< the same of their parents
  std::map<pid_t, std::string> names_;  ///< of programs, of all
  Descriptor watched_;                  ///< an epoll(7) of those below: it tells who ended in that order
  std::map<pid_t, Descriptor> ends_;    ///< pidfd_open(2)
  std::vector<pid_t> ended_;
};

}  // namespace ddlbench::bench
