#include "bench/slurm/given_allocation.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "base/counted.h"
#include "base/error.h"
#include "bench/config/variants.h"
#include "bench/slurm/allocation.h"
#include "bench/slurm/captured_command.h"

namespace ddlbench::bench {
namespace {

std::optional<int> count_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && number > 0;
  return is_number ? std::optional(number) : std::nullopt;
}

/// Returns the case with the largest of these numbers.
const Case& largest(const std::vector<Case>& cases, int (*number_of_case)(const Case&)) {
  return *std::max_element(cases.begin(), cases.end(), [&](const Case& one, const Case& other) {
    return number_of_case(one) < number_of_case(other);
  });
}

int ranks_in(const Case& which) {
  return which.ranks;
}
int threads_in(const Case& which) {
  return which.ranks * which.threads_per_rank;
}

/// Warns about the case with the most threads if `cpus` cores of `nodes` nodes are fewer. `remedy`: options of sbatch.
void check_cores(const GivenAllocation& given, const Case& which, int cpus, int nodes, const std::string& remedy,
                 AllocationCheck& found) {
  if (threads_in(which) <= cpus) return;
  found.warnings.push_back(fmt::format(
      "{} has {} × {}, but job {} has {} on {}: they share cores, and the case is not ranked; ask for more cores, as "
      "with {}, or use fewer ranks or threads (/devices/ranks, /devices/threads_per_rank)",
      which.id, counted(which.ranks, "rank"), counted(which.threads_per_rank, "thread"), given.job_id,
      counted(cpus, "core"), counted(nodes, "node"), remedy));
}

/// Checks cases whose ranks are processes.
void check_processes(const GivenAllocation& given, const std::vector<Case>& cases, bool on_gpus,
                     AllocationCheck& found) {
  const Case& most_ranks = largest(cases, ranks_in);
  const int ranks = most_ranks.ranks, nodes = given.nodes();
  if (on_gpus) {
    const int gpus = nodes * given.gpus_per_node.value_or(0), per_node = (ranks + nodes - 1) / nodes;
    if (ranks <= gpus) return;
    found.error = fmt::format(
        "{} needs {}, but job {} has {} on {}; ask for more, as with --nodes={} --ntasks-per-node={} --gres=gpu:{}, or "
        "run fewer ranks: --set /devices/ranks={}",
        most_ranks.id, counted(ranks, "GPU"), given.job_id, counted(gpus, "GPU"), counted(nodes, "node"), nodes,
        per_node, per_node, std::max(gpus, 1));
    return;
  }
  const Case& most_threads = largest(cases, threads_in);
  check_cores(given, most_threads, given.cpus(), nodes,
              fmt::format("--ntasks={} --cpus-per-task={}", most_threads.ranks, most_threads.threads_per_rank), found);
  if (!given.tasks_of_nodes.empty() && ranks > given.tasks() && threads_in(most_ranks) <= given.cpus()) {
    found.warnings.push_back(fmt::format(
        "{} has {}, but job {} has only {}: mpiexec fills the nodes in the order of their tasks and then begins again; "
        "ask for --ntasks={}",
        most_ranks.id, counted(ranks, "rank"), given.job_id, counted(given.tasks(), "task"), ranks));
  }
}

/// Checks cases whose ranks are threads of one process, on the job's first node.
void check_threads(const GivenAllocation& given, const std::vector<Case>& cases, AllocationCheck& found) {
  const Case& most_threads = largest(cases, threads_in);
  check_cores(given, most_threads, given.cpus_of_nodes.front(), 1,
              fmt::format("--ntasks=1 --cpus-per-task={}", threads_in(most_threads)), found);
}

}  // namespace

int GivenAllocation::cpus() const {
  return std::accumulate(cpus_of_nodes.begin(), cpus_of_nodes.end(), 0);
}
int GivenAllocation::tasks() const {
  return std::accumulate(tasks_of_nodes.begin(), tasks_of_nodes.end(), 0);
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<std::vector<int>> parse_counts(const std::string& text) {
  constexpr int most_nodes = 1 << 20;
  std::vector<int> counts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const std::size_t open = part.find("(x");
    const auto number = count_of(std::string_view(part).substr(0, open));
    std::optional<int> nodes = 1;
    if (open != std::string::npos) {
      if (!part.ends_with(')')) return std::nullopt;
      nodes = count_of(std::string_view(part).substr(open + 2, part.size() - open - 3));
    }
    if (!number || !nodes || *nodes > most_nodes) return std::nullopt;
    counts.insert(counts.end(), static_cast<std::size_t>(*nodes), *number);
  }
  return counts.empty() ? std::nullopt : std::optional(std::move(counts));
}

std::optional<GivenAllocation> given_allocation(const Environment& environment) {
  const auto id = environment("SLURM_JOB_ID"), cpus = environment("SLURM_JOB_CPUS_PER_NODE");
  if (!id || !cpus) return std::nullopt;
  const auto cpus_of_nodes = parse_counts(*cpus);
  if (!cpus_of_nodes) return std::nullopt;
  GivenAllocation given{*id, *cpus_of_nodes, {}, {}};
  for (const char* variable : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    if (const auto tasks = environment(variable); tasks && given.tasks_of_nodes.empty())
      given.tasks_of_nodes = parse_counts(*tasks).value_or(std::vector<int>{});
  }
  if (const auto gpus = environment("SLURM_GPUS_ON_NODE")) given.gpus_per_node = count_of(*gpus);
  return given;
}

std::vector<std::string> node_names(const GivenAllocation& given) {
  const auto list = environment_variable("SLURM_JOB_NODELIST");
  if (!list) return {};
  std::vector<std::string> names;
  try {
    std::istringstream lines(run_captured({"scontrol", "show", "hostnames", *list}).output);
    for (std::string name; lines >> name;) names.push_back(name);
  } catch (const InputError&) {  // there is no scontrol, as in a container
    return {};
  }
  return static_cast<int>(names.size()) == given.nodes() ? names : std::vector<std::string>{};
}

AllocationCheck check_allocation(const GivenAllocation& given, const Experiment& experiment,
                                 const std::vector<Case>& cases) {
  std::vector<Case> of_processes, of_threads;
  for (const Case& which : cases) {
    if (!which.can_run()) continue;
    (devices_of(experiment, which).needs_launcher() ? of_processes : of_threads).push_back(which);
  }
  const bool on_gpus = experiment.devices.derived.is_accelerator;
  AllocationCheck found;
  if (!of_processes.empty()) check_processes(given, of_processes, on_gpus, found);
  if (!of_threads.empty() && !on_gpus) check_threads(given, of_threads, found);
  return found;
}

UsableCores usable_cores(const GivenAllocation& given, int own_cores) {
  const int first = given.cpus_of_nodes.front();
  return {std::min(own_cores, first), given.cpus() - first};
}

}  // namespace ddlbench::bench
