#include "bench/config/expand.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "bench/config/check_strategies.h"
#include "bench/config/contract.h"
#include "bench/config/problem.h"
#include "bench/config/workloads.h"

namespace ddlbench::bench {
namespace {

std::vector<int> threads_of(bool is_single, int ranks, const Devices& devices, int cores) {
  const int wanted = devices.threads_per_rank;
  if (devices.derived.is_accelerator) return {std::max(1, wanted)};  // the host only launches; the accelerator computes
  if (is_single && wanted != 0 && wanted != cores) return {cores, wanted};
  if (is_single) return {cores};
  return {wanted != 0 ? wanted : std::max(1, (cores + devices.derived.other_cores) / ranks)};
}

/// Returns whether ranks must share accelerators. For ranks that are processes the number of machines is not known yet.
bool shares_devices(const Devices& devices, int ranks) {
  return devices.derived.seen > 0 && ranks > devices.derived.seen && !devices.ranks_are_processes();
}

/// What differs between the cases of a run, besides strategy and ranks.
struct Varying {
  bool workload = false;
  bool global_batch = false;
  bool seed = false;
};

Varying varying_in(const Experiment& experiment) {
  std::set<std::int64_t> batches(experiment.workload.global_batch.begin(), experiment.workload.global_batch.end());
  for (const WorkloadChoice& one : experiment.workloads)
    batches.insert(one.workload.global_batch.begin(), one.workload.global_batch.end());
  return {experiment.workloads.size() > 1, batches.size() > 1, experiment.training.seed.size() > 1};
}

/// Returns an id such as "003-ddp-r2", with the model, the global batch and the seed where these vary:
/// "003-lenet-ddp-r2-b64-s1".
std::string case_id(std::size_t number, const Varying& varying, const std::string& model, const Case& which) {
  const std::string digits = std::to_string(number);
  std::string id = fmt::format("{}{}-", std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0'), digits);
  for (const char c : (varying.workload ? model + "-" : "") + which.strategy.choice.kind) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    id += plain ? c : '_';
  }
  id += fmt::format("-r{}", which.ranks);
  if (varying.global_batch) id += fmt::format("-b{}", which.global_batch);
  if (varying.seed) id += fmt::format("-s{}", which.seed);
  return id;
}

/// Returns the cases of an experiment with one workload.
std::vector<Case> cases_of(const Experiment& experiment, const Registries& registries, int cores) {
  std::vector<Case> cases;
  for (const auto& strategy : experiment.strategies) {
    const auto family = registries.strategy(strategy.choice.kind).family;
    for (const int ranks : ranks_of(strategy, experiment.devices, registries)) {
      for (const int threads : threads_of(family == strategies::Family::single, ranks, experiment.devices, cores)) {
        for (const auto global_batch : experiment.workload.global_batch) {
          for (const auto seed : experiment.training.seed) {
            Case& which = cases.emplace_back();
            which.strategy = strategy;
            which.family = strategies::name(family);
            which.ranks = ranks;
            which.threads_per_rank = threads;
            which.global_batch = global_batch;
            which.seed = seed;
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace

std::vector<Case> expand(const Experiment& experiment, const Registries& registries, int cores,
                         const CaseCheck& check_case) {
  std::vector<Case> cases;
  const Varying varying = varying_in(experiment);
  const std::size_t workloads = std::max<std::size_t>(1, experiment.workloads.size());
  for (std::size_t workload = 0; workload < workloads; ++workload) {
    const Experiment one = of_workload(experiment, workload);
    const Contracts contracts(one);
    for (Case& which : cases_of(one, registries, cores)) {
      which.workload = static_cast<int>(workload);
      which.id = case_id(cases.size() + 1, varying, one.workload.model.kind, which);
      const int usable = cores + (which.ranks > 1 ? one.devices.derived.other_cores : 0);
      which.oversubscribed = which.ranks * which.threads_per_rank > usable;
      which.shares_devices = shares_devices(one.devices, which.ranks);
      which.contract_id = contracts.contract_id(which.global_batch, which.seed);
      which.scaling_id = contracts.scaling_id(which.seed);
      which.replicate_id = contracts.replicate_id(which.global_batch);
      if (check_case) check_case(experiment, which);
      cases.push_back(std::move(which));
    }
  }
  return cases;
}

void require_runnable(const Experiment& experiment, const std::vector<Case>& cases) {
  std::map<std::string, std::vector<const Case*>> cases_of_strategy;
  for (const auto& which : cases) cases_of_strategy[which.strategy.pointer].push_back(&which);
  std::vector<json::Problem> problems;
  for (const auto& strategy : experiment.strategies) {
    std::string reasons;
    std::set<std::string> told;
    bool runs = strategy.expect == "unsupported";
    for (const Case* which : cases_of_strategy[strategy.pointer]) {
      runs = runs || which->unsupported.empty();
      const std::string reason =
          fmt::format("at {}{}{}", which->ranks, which->ranks == 1 ? " rank: " : " ranks: ", which->unsupported);
      if (told.insert(reason).second) reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    if (runs) continue;
    problems.push_back({location_of(experiment.locations, strategy.pointer), strategy.pointer,
                        fmt::format("{} cannot run at any requested number of ranks: {}", strategy.label, reasons)});
  }
  if (!problems.empty()) throw ConfigError(std::move(problems), experiment.sources);
}

}  // namespace ddlbench::bench
