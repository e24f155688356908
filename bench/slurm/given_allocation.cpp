#include "bench/slurm/given_allocation.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <sstream>

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
const Case* largest(const std::vector<Case>& cases, const auto& number_of_case) {
  const Case* found = nullptr;
  for (const Case& which : cases) {
    if (!which.can_run()) continue;
    if (found == nullptr || number_of_case(which) > number_of_case(*found)) found = &which;
  }
  return found;
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
  std::istringstream lines(run_captured({"scontrol", "show", "hostnames", *list}).output);
  std::vector<std::string> names;
  for (std::string name; lines >> name;) names.push_back(name);
  return static_cast<int>(names.size()) == given.nodes() ? names : std::vector<std::string>{};
}

AllocationCheck check_allocation(const GivenAllocation& given, const Devices& devices, const std::vector<Case>& cases) {
  AllocationCheck found;
  const Case* most_ranks = largest(cases, [](const Case& which) { return which.ranks; });
  if (most_ranks == nullptr) return found;
  const int ranks = most_ranks->ranks;
  const int nodes = devices.ranks_are_processes() ? given.nodes() : 1;
  const std::string job = "job " + given.job_id;
  if (devices.derived.is_accelerator) {
    const int gpus = nodes * given.gpus_per_node.value_or(0);
    if (devices.ranks_are_processes() && ranks > gpus) {
      found.error = fmt::format(
          "{} needs {}, but {} has {} on {}; ask for more, as with --nodes={} --ntasks-per-node={} --gres=gpu:{}, or "
          "run "
          "fewer ranks: --set /devices/ranks={}",
          most_ranks->id, counted(ranks, "GPU"), job, counted(gpus, "GPU"), counted(nodes, "node"), nodes,
          (ranks + nodes - 1) / nodes, (ranks + nodes - 1) / nodes, std::max(gpus, 1));
    }
    return found;
  }
  const auto threads = [](const Case& which) { return which.ranks * which.threads_per_rank; };
  const Case* most_threads = largest(cases, threads);
  int cpus = given.cpus();
  if (nodes == 1) cpus = given.cpus_of_nodes.front();
  if (threads(*most_threads) > cpus) {
    found.warnings.push_back(fmt::format(
        "{} has {} × {}, but {} has {} on {}: they share cores, and the case is not ranked; ask for more cores, as "
        "with "
        "--ntasks={} --cpus-per-task={}, or use fewer ranks or threads (/devices/ranks, /devices/threads_per_rank)",
        most_threads->id, counted(most_threads->ranks, "rank"), counted(most_threads->threads_per_rank, "thread"), job,
        counted(cpus, "core"), counted(nodes, "node"), most_threads->ranks, most_threads->threads_per_rank));
  }
  if (devices.ranks_are_processes() && !given.tasks_of_nodes.empty() && ranks > given.tasks() &&
      ranks * most_ranks->threads_per_rank <= cpus) {
    found.warnings.push_back(fmt::format(
        "{} has {}, but {} has only {}: mpiexec fills the nodes in the order of their tasks and then begins again; ask "
        "for --ntasks={}",
        most_ranks->id, counted(ranks, "rank"), job, counted(given.tasks(), "task"), ranks));
  }
  return found;
}

UsableCores usable_cores(const GivenAllocation& given, const Devices& devices, int own_cores) {
  const int first = given.cpus_of_nodes.front();
  return {std::min(own_cores, first), devices.ranks_are_processes() ? given.cpus() - first : 0};
}

}  // namespace ddlbench::bench
