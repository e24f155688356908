#pragma once

#include <chrono>
#include <optional>

#include "bench/launcher/deadline.h"
#include "bench/launcher/executor.h"
#include "bench/launcher/launch_command.h"
#include "bench/launcher/memory_limit.h"
#include "bench/launcher/stop_signals.h"
#include "bench/launcher/watch.h"

namespace ddlbench::bench {

/// How the processes of cases are started and ended.
struct ChildOptions {
  std::string program = "/proc/self/exe";              ///< started once for each case, …
  std::vector<std::string> arguments = {"worker"};     ///< … with these arguments, which must lead to worker_main
  std::vector<std::string> rank_arguments = {"rank"};  ///< its arguments where a launcher starts it once per rank
  std::chrono::milliseconds grace{2000};               ///< between SIGTERM and SIGKILL of a case's processes
  Deadline deadline = {};                              ///< the run is stopped then
  std::vector<LaunchHost> hosts = {};         ///< of the job, if there are several and a launcher starts ranks on them
  const MemoryLimit* memory_limit = nullptr;  ///< of each case; null: none
};

/// Runs each case as a job of its own: one worker process, or one per rank, which start_ranks() starts, or mpiexec on
/// nodes that have not lost ranks twice. A case that crashes, hangs or fails does not affect this process. SIGINT,
/// SIGTERM, SIGUSR2, SIGHUP and the deadline end the running case.
class ChildExecutor final : public Executor {
 public:
  explicit ChildExecutor(ChildOptions options = {});
  ~ChildExecutor() override;
  Outcome run(const WorkerRequest& request, const std::string& log_file, const Listener& listener) override;
  std::optional<std::int64_t> memory_of_several() const override;
  std::vector<Outcome> run_alternately(const std::vector<CaseRun>& runs, std::chrono::milliseconds time_slice,
                                       const std::function<void()>& tick) override;
  std::string why_ended() const override;
  int stop_signal() const override { return signals_.received(); }

 private:
  LaunchCommand command_for(const WorkerRequest& request) const;
  WatchOptions watch_options(const WorkerRequest& request) const;
  Outcome outcome_of(const WorkerRequest& request, const std::string& log_file, const Listener& listener);

  ChildOptions options_;
  HostChoice hosts_;
  StopSignals signals_;
};

}  // namespace ddlbench::bench
