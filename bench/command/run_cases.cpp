#include "bench/command/run_cases.h"

#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "base/units.h"
#include "bench/case/case_runner.h"
#include "bench/command/experiment_file.h"
#include "bench/command/main_command.h"
#include "bench/config/load.h"
#include "bench/config/registries.h"
#include "bench/config/run_order.h"
#include "bench/config/variants.h"
#include "bench/export/results_json.h"
#include "bench/launcher/child_executor.h"
#include "bench/launcher/launch_command.h"
#include "bench/launcher/ranks_executor.h"
#include "bench/launcher/supervisor.h"
#include "bench/report/grid.h"
#include "bench/slurm/given_allocation.h"
#include "bench/slurm/job_end.h"
#include "comm/process_place.h"
#include "platform/bound_cores.h"

namespace ddlbench::bench {
namespace {

std::string note(const Case& which) {
  if (!which.unsupported.empty()) return "unsupported: " + which.unsupported;
  if (!which.out_of_memory.empty()) return "out of memory: " + which.out_of_memory;
  if (which.oversubscribed) return "oversubscribed";
  return which.shares_devices ? "ranks share GPUs" : "";
}

std::string table(const std::vector<Case>& cases) {
  using enum Grid::Align;
  Grid grid({left, left, left, right, right, right, right, left});
  grid.add({"case", "strategy", "family", "ranks", "threads", "batch", "seed", ""});
  for (const auto& which : cases) {
    grid.add({which.id, which.strategy.label, which.family, std::to_string(which.ranks),
              std::to_string(which.threads_per_rank), std::to_string(which.global_batch), std::to_string(which.seed),
              note(which)});
  }
  return grid.text(0);
}

std::string json_summary(const std::string& folder, const Records& records) {
  RunResults results = results_of(folder, records);
  read_descriptions(results);
  return results_json({std::move(results)});
}

/// Returns the time until a run must have ended: that of the command line, or that until the end of the Slurm job.
/// Tells `notes` which it is.
std::optional<double> time_limit(const Arguments& arguments, std::ostream& notes) {
  if (arguments.time_limit) {
    notes << fmt::format("ddlbench: time limit: {} (--time-limit)\n", format_duration(*arguments.time_limit));
    return arguments.time_limit;
  }
  const JobEnd end = job_end(environment_variable, std::time(nullptr));
  if (!end.ignored.empty()) notes << "ddlbench: " << printable(end.ignored) << '\n';
  if (end.seconds_left) {
    notes << fmt::format("ddlbench: time limit: {}, until the Slurm job ends (SLURM_JOB_END_TIME)\n",
                         format_duration(*end.seconds_left));
  }
  return end.seconds_left;
}

/// Returns when a run stops so that it ends within its limit: a case that is stopped needs a moment.
Deadline deadline(const Arguments& arguments) {
  constexpr double longest_to_stop = 30;
  if (!arguments.time_limit) return std::nullopt;
  constexpr double longest = 1e9;
  const double limit = std::min(*arguments.time_limit, longest);
  const double seconds = limit - std::min(longest_to_stop, limit / 10);
  return std::chrono::steady_clock::now() + milliseconds_of(seconds);
}

/// Returns the FLOPs of each case, by id; nothing if the work is not known.
std::map<std::string, double> flops_of(const ChosenCases& chosen) {
  std::map<std::string, double> flops;
  for (std::size_t i = 0; i < chosen.work.size(); ++i)
    flops[chosen.cases[i].id] = static_cast<double>(chosen.work[i].steps) * chosen.work[i].flops_per_step;
  return flops;
}

/// The cases to run, and the folder that they continue, if they do.
struct ToRun {
  ChosenCases chosen;
  std::optional<Resumption> resumption = {};
};

ToRun choose_to_run(const Arguments& arguments, const Choose& choose, int cores, std::ostream& notes) {
  if (arguments.resume.empty()) return {choose(arguments, cores)};
  ResumedRun resumed = read_resumed_run(arguments, choose, cores);
  notes << fmt::format("ddlbench: resuming {}: {}\n", printable(resumed.results.folder),
                       what_is_left(resumed, arguments.retry));
  for (const std::string& change : resumed.changes) notes << "ddlbench: accepted: " << printable(change) << '\n';
  Resumption resumption{resumed.results.folder, {}, std::move(resumed.changes)};
  if (!resumption.changes.empty()) resumption.resolved_config = resumed.chosen.experiment.resolved;
  return {std::move(resumed.chosen), std::move(resumption)};
}

int run_chosen(const ToRun& to_run, const Arguments& arguments, const Deadline& run_until, Executor& executor,
               std::ostream& out, std::ostream& err) {
  const ChosenCases& chosen = to_run.chosen;
  RunRequest request;
  request.output = arguments.output;
  request.resumption = to_run.resumption;
  request.retry = arguments.retry;
  request.retries = arguments.retries;
  request.shard = arguments.shard;
  request.work = flops_of(chosen);
  request.deadline = run_until;
  request.resolved_config = chosen.experiment.resolved;
  request.max_failures = arguments.max_failures;
  request.quiet = arguments.quiet;
  if (arguments.format == "json") request.summary = json_summary;
  if (&err == &std::cerr) request.terminal = detect_terminal(STDERR_FILENO);
  return run_experiment(chosen.experiment, in_run_order(chosen.cases), request, executor, out, err);
}

/// Lists the cases and the time to expect on `out`, and whether they can run here on `err`.
int list_cases(const ChosenCases& chosen, const Arguments& arguments, int cores, std::ostream& out, std::ostream& err) {
  if (arguments.format == "json") throw InputError("--dry-run has no results to show as JSON; leave out --format json");
  out << table(chosen.cases) << expected_time(chosen.experiment, chosen.cases, chosen.work, cores);
  if (!chosen.devices.message.empty()) err << "ddlbench: " << chosen.devices.message << '\n';
  if (!chosen.devices.lacking.empty()) {
    err << "ddlbench: the cases cannot run on this machine: " << chosen.devices.pointer << ": "
        << chosen.devices.lacking << '\n';
  }
  return exit_code::ok;
}

/// Compares what the cases need with what the Slurm job has, if this is one. Throws InputError if a case cannot run.
void check_job(const ChosenCases& chosen, std::ostream& notes) {
  const auto given = given_allocation();
  if (!given) return;
  const AllocationCheck found = check_allocation(*given, chosen.experiment, chosen.cases);
  if (!found.error.empty()) throw InputError(found.error);
  for (const std::string& warning : found.warnings) notes << "ddlbench: " << warning << '\n';
}

/// Chooses the cases for processes that a launcher started. Their ranks cannot be threads of one process.
ChosenCases choose_for_ranks(Arguments arguments, const Choose& choose, int cores, std::ostream& notes) {
  require_experiment_file(arguments);
  const Experiment experiment = load_experiment(arguments.config, arguments.overrides, real_registries());
  const auto& variants = experiment.variants;
  const auto other =
      std::find_if(variants.begin(), variants.end(), [](const Variant& one) { return !one.devices.needs_launcher(); });
  if (other != variants.end()) {
    notes << "ddlbench: a launcher started the ranks: using transport mpi instead of " << other->devices.transport
          << '\n';
    arguments.overrides.emplace_back("/devices/transport=mpi");
  }
  return choose(arguments, cores);
}

/// Returns the nodes of the Slurm job, if there are several, each for as many ranks as it has tasks.
std::vector<LaunchHost> nodes_of_job() {
  const auto given = given_allocation();
  if (!given || given->nodes() < 2 || given->tasks_of_nodes.size() != given->cpus_of_nodes.size()) return {};
  std::vector<LaunchHost> hosts;
  for (const std::string& name : node_names(*given)) hosts.push_back({name, given->tasks_of_nodes[hosts.size()]});
  return hosts;
}

std::optional<MemoryLimit> limit_memory(const Arguments& arguments, std::ostream& notes) {
  if (!arguments.memory_limit) return std::nullopt;
  std::optional<int> most_here;
  if (const auto given = given_allocation(); given && given->nodes() > 1 && !given->tasks_of_nodes.empty())
    most_here = *std::max_element(given->tasks_of_nodes.begin(), given->tasks_of_nodes.end());
  MemoryLimit limit(*arguments.memory_limit, most_here);
  notes << "ddlbench: memory limit: " << printable(limit.text()) << '\n';
  return limit;
}

int lead(const Arguments& arguments, const Choose& choose, const Deadline& run_until, RanksExecutor& executor,
         std::ostream& out, std::ostream& err) {
  const int cores = executor.look_at_hosts();
  std::ostream nowhere(nullptr);
  std::ostream& notes = arguments.quiet ? nowhere : err;
  const Choose choose_here = [&](const Arguments& given, int usable) {
    return choose_for_ranks(given, choose, usable, notes);
  };
  const ToRun to_run = choose_to_run(arguments, choose_here, cores, notes);
  if (arguments.dry_run) return list_cases(to_run.chosen, arguments, cores, out, err);
  announce_devices(to_run.chosen.experiment, to_run.chosen.devices, notes);
  announce_binding(notes);
  check_job(to_run.chosen, notes);
  if (arguments.memory_limit) {
    throw InputError(
        "--memory-limit has no effect on processes that a launcher started; limit these by the launcher, "
        "or by ulimit -d");
  }
  notes << "ddlbench: started by an MPI launcher: all cases run in its processes, one after another; losing one of "
           "them ends the run\n";
  return run_chosen(to_run, arguments, run_until, executor, out, err);
}

int run_in_ranks(const Arguments& arguments, const Choose& choose, const Deadline& run_until, std::ostream& out,
                 std::ostream& err) {
  if (arguments.quiet) std::clog.rdbuf(nullptr);  // the log of a case, which has no file here
  if (comm::process_place()->rank != 0) return follow_ranks(run_case);
  RanksExecutor executor(run_case);
  int code = exit_code::usage;
  try {
    code = lead(arguments, choose, run_until, executor, out, err);
  } catch (...) {
    executor.dismiss(code);
    throw;
  }
  return executor.dismiss(code);
}

}  // namespace

int run_cases(const Arguments& given, const Choose& choose, std::ostream& out, std::ostream& err) {
  check_resume_options(given);
  Arguments arguments = given;
  std::ostream nowhere(nullptr);
  const bool is_quiet = given.quiet || given.dry_run || (in_ranks() && comm::process_place()->rank != 0);
  arguments.time_limit = time_limit(given, is_quiet ? nowhere : err);
  const Deadline run_until = deadline(arguments);
  if (in_ranks()) return run_in_ranks(arguments, choose, run_until, out, err);
  const auto cores = static_cast<int>(platform::allowed_cores().size());
  std::ostream& notes = arguments.quiet ? nowhere : err;
  const ToRun to_run = choose_to_run(arguments, choose, cores, notes);
  if (arguments.dry_run) return list_cases(to_run.chosen, arguments, cores, out, err);
  announce_devices(to_run.chosen.experiment, to_run.chosen.devices, notes);
  check_job(to_run.chosen, notes);
  ChildOptions options;
  if (any_needs_launcher(to_run.chosen.experiment)) {
    require_mpiexec();
    options.hosts = nodes_of_job();
  }
  options.deadline = run_until;
  const std::optional<MemoryLimit> memory_limit = limit_memory(arguments, notes);
  if (memory_limit) options.memory_limit = &*memory_limit;
  ChildExecutor executor(options);
  announce_binding(notes);  // from here on, the reader of the notes may end
  return run_chosen(to_run, arguments, run_until, executor, out, err);
}

}  // namespace ddlbench::bench
