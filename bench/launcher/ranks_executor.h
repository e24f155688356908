#pragma once

#include <chrono>

#include "bench/launcher/executor.h"
#include "bench/launcher/run_to_message.h"

namespace ddlbench::bench {

/// Whether this process is one of several that a person's own mpiexec or srun started: then cases run in these,
/// and not in processes of their own.
bool in_ranks();

/// Cores of all machines on which those processes run. Collective over them.
int cores_of_ranks();

/// Runs cases in this process and the others that were started with it, of which each runs `follow_ranks`.
/// Nothing shields them from a case: one that loses a rank ends the job.
class RanksExecutor final : public Executor {
 public:
  explicit RanksExecutor(CaseRunner run);
  Outcome run(const WorkerRequest& request, const std::string& log_file, const Listener& listener) override;
  std::string why_ended() const override { return ended_; }
  /// The others return `exit_code`, as is returned; where a rank was lost, another one than 0, and the job ends with
  /// this process.
  int dismiss(int exit_code);

 private:
  void meet_after(const std::string& case_id);
  /// From now on no case runs; the row of the last says why.
  void end();
  Outcome without_ranks();

  CaseRunner run_;
  std::chrono::milliseconds timeout_;  ///< of the last case
  std::string lost_;                   ///< when ranks were, and why; empty while none is
  std::string ended_;                  ///< the same, once a case's row tells it
};

/// The whole of a run for a process that is not rank 0: runs what rank 0 says until it dismisses it. Returns the
/// exit code that rank 0 said; where a rank was lost, that of `lost_rank`, after a line on standard error where it was
/// rank 0, which would have told it.
int follow_ranks(const CaseRunner& run);

}  // namespace ddlbench::bench
