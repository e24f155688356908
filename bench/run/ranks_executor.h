#pragma once

#include "bench/run/executor.h"
#include "bench/run/run_to_message.h"

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
  explicit RanksExecutor(CaseRunner run) : run_(std::move(run)) {}
  Outcome run(const WorkerRequest& request, const std::string& log_file, const Listener& listener) override;
  std::string why_ended() const override { return lost_; }
  /// The others return `exit_code` and end; where a rank was lost, this process ends here, and the job with it.
  void dismiss(int exit_code);

 private:
  void go_on_after(const std::string& case_id);
  void end_with(const std::string& case_id, const std::string& why);

  CaseRunner run_;
  std::string lost_;
};

/// The whole of a run for a process that is not rank 0: runs what rank 0 says until it dismisses it. Returns the
/// exit code that rank 0 said.
int follow_ranks(const CaseRunner& run);

}  // namespace ddlbench::bench
