#include "bench/launcher/child_executor.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>

#include "base/error.h"
#include "base/stopwatch.h"
#include "bench/launcher/child.h"
#include "bench/launcher/gpu_utilisation.h"
#include "bench/launcher/rank_starter.h"
#include "bench/launcher/utilisation.h"
#include "bench/records/spin_variables.h"
#include "platform/available_memory.h"

namespace ddlbench::bench {

ChildExecutor::ChildExecutor(ChildOptions options) : options_(std::move(options)), hosts_(options_.hosts) {
  if (!options_.deadline) return;
  ::alarm(static_cast<unsigned>(std::clamp(std::ceil(seconds_until(options_.deadline)), 1.0, 1e9)));
}

ChildExecutor::~ChildExecutor() {
  if (options_.deadline) ::alarm(0);
}

LaunchCommand ChildExecutor::command_for(const WorkerRequest& request) const {
  LaunchCommand command{options_.program, options_.arguments, {}};
  const Devices& devices = request.experiment.devices;
  const bool several = devices.ranks_are_processes();
  if (devices.needs_launcher()) {
    const std::string program = options_.program == "/proc/self/exe" ? own_program() : options_.program;
    command = through_mpiexec(request.which.ranks, request.which.threads_per_rank, program, options_.rank_arguments,
                              hosts_.remaining());
  } else if (several) {
    command = through_rank_starter(request.which.ranks, request.which.threads_per_rank, options_.program);
  }
  command.environment.merge(spin_variables(request.which.oversubscribed));
  if (options_.memory_limit != nullptr) options_.memory_limit->apply(several ? request.which.ranks : 1, command);
  return command;
}

WatchOptions ChildExecutor::watch_options(const WorkerRequest& request) const {
  const Measure& measure = request.experiment.measure;
  WatchOptions options{milliseconds_of(measure.timeout_seconds), options_.grace};
  if (measure.case_seconds > 0) options.limit = milliseconds_of(measure.case_seconds);
  options.stop_file = request.which.stop_file;
  return options;
}

Outcome ChildExecutor::run(const WorkerRequest& request, const std::string& log_file, const Listener& listener) {
  if (request.experiment.devices.needs_launcher()) {
    if (const std::string why = hosts_.why_too_few(request.which.ranks); !why.empty())
      return {Status::lost_rank, why, {}};
  }
  Outcome outcome = outcome_of(request, log_file, listener);
  if (outcome.status == Status::lost_rank) {
    if (const std::string follows = hosts_.note_loss(outcome.lost_host); !follows.empty())
      outcome.reason += "; " + follows;
  }
  return outcome;
}

Outcome ChildExecutor::outcome_of(const WorkerRequest& request, const std::string& log_file, const Listener& listener) {
  std::optional<Child> child;
  try {
    child.emplace(command_for(request), encode(request));
  } catch (const InputError& error) {
    return {Status::failed, error.what(), {}};
  }
  std::ofstream log(log_file);
  UtilisationSampler sampler(request.which.id, child->id(),
                             gpus_of_case(request.experiment.devices, request.which.ranks));
  Outcome outcome = watch(*child, watch_options(request), signals_, log, listener, [&] {
    if (const auto sample = sampler.sample_if_due()) listener.sampled(*sample);
  });
  listener.sampled(sampler.sample());
  outcome.log_is_incomplete = !log.flush();
  return outcome;
}

std::optional<std::int64_t> ChildExecutor::memory_of_several() const {
  const std::int64_t available = platform::available_memory().machine.bytes;
  return options_.memory_limit == nullptr ? available : std::min(available, options_.memory_limit->bytes());
}

std::vector<Outcome> ChildExecutor::run_alternately(const std::vector<CaseRun>& runs,
                                                    std::chrono::milliseconds time_slice,
                                                    const std::function<void()>& tick) {
  std::deque<Child> children;
  std::deque<std::ofstream> logs;
  std::vector<Outcome> outcomes(runs.size());
  std::vector<std::size_t> started;
  AlternatingWatches watches(time_slice, signals_, tick);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& [request, log_file, listener] = runs[i];
    try {
      children.emplace_back(command_for(request), encode(request));
    } catch (const InputError& error) {
      outcomes[i] = {Status::failed, error.what(), {}};
      continue;
    }
    started.push_back(i);
    watches.add(children.back(), watch_options(request), logs.emplace_back(log_file), listener);
  }
  std::vector<Outcome> ended = watches.run();
  for (std::size_t i = 0; i < started.size(); ++i) {
    ended[i].log_is_incomplete = !logs[i].flush();
    outcomes[started[i]] = std::move(ended[i]);
  }
  return outcomes;
}

std::string ChildExecutor::why_ended() const {
  if (stop_signal() == SIGALRM) return "the time limit was reached";
  return stop_signal() == 0 ? "" : "the run was stopped by signal " + signal_text(stop_signal());
}

}  // namespace ddlbench::bench
