#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/launcher/executor.h"
#include "bench/launcher/run_to_message.h"

namespace ddlbench::bench {

/// Returns whether this process is one of several that a user's own mpiexec or srun started. Cases then run in these
/// processes and not in processes of their own.
bool in_ranks();

/// Runs cases in this process and in the others that were started with it, each of which runs `follow_ranks`. They are
/// not isolated from a case: one that loses a rank ends the job.
class RanksExecutor final : public Executor {
 public:
  explicit RanksExecutor(CaseRunner run);
  /// Learns on which hosts the processes run, and returns the number of cores of all these hosts. Called once, before
  /// the first case; the other processes take part in it.
  int look_at_hosts();
  Outcome run(const WorkerRequest& request, const std::string& log_file, const Listener& listener) override;
  std::string why_ended() const override { return ended_; }
  bool waits_for_processes() const override { return false; }
  /// Ends the run: the other processes return `exit_code`, and so does this function. If a rank was lost, returns a
  /// nonzero code, and the job ends with this process.
  int dismiss(int exit_code);

 private:
  void synchronise_after(const std::string& case_id);
  /// Lets no further case run; the row of the last case says why.
  void end();
  Outcome without_ranks();

  CaseRunner run_;
  std::vector<std::string> hosts_;     ///< by rank
  std::chrono::milliseconds timeout_;  ///< of the last case
  std::string lost_;                   ///< when ranks were lost, and why; empty while none is
  std::string ended_;                  ///< likewise, once a case's row reports it
};

/// Runs a process that is not rank 0: executes rank 0's requests until rank 0 dismisses it. Returns the exit code that
/// rank 0 sent; if a rank was lost, the code of an infrastructure failure. If the lost rank is rank 0, prints a line to
/// standard error, because rank 0 cannot report it.
int follow_ranks(const CaseRunner& run);

}  // namespace ddlbench::bench
