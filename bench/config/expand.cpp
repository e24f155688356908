#include "bench/config/expand.h"

#include <fmt/core.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "bench/config/case_id.h"
#include "bench/config/case_rules.h"
#include "bench/config/check_strategies.h"
#include "bench/config/contract.h"
#include "bench/config/problem.h"
#include "bench/config/variants.h"

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

/// The cases of one variant and one strategy.
class StrategyCases {
 public:
  StrategyCases(const Experiment& experiment, const StrategyChoice& strategy, const Registries& registries,
                const Zips& zips)
      : experiment_(experiment),
        workload_(experiment.workload),
        strategy_(strategy),
        registries_(registries),
        zips_(zips),
        family_(registries.strategy(strategy.choice.kind).family) {}

  /// Returns them where the lists that advance together allow it. `places`: of variant and strategy.
  std::vector<Case> all(const Zips::Places& places, int cores) const {
    std::vector<Case> cases;
    const bool is_single = family_ == strategies::Family::single;
    const std::vector<int> counts = ranks_of(strategy_, experiment_.devices, registries_);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      Zips::Places here = places;
      if (!zips_.join(here, "/devices/ranks", counts.size(), i)) continue;
      for (const int threads : threads_of(is_single, counts[i], experiment_.devices, cores))
        add_batches(here, counts[i], threads, cases);
    }
    return cases;
  }

 private:
  void add_batches(const Zips::Places& places, int ranks, int threads, std::vector<Case>& cases) const {
    const bool weak = workload_.scales_weakly();
    const std::vector<std::int64_t>& batches = workload_.batches();
    const std::vector<std::uint64_t>& seeds = experiment_.training.seed;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      Zips::Places here = places;
      if (!zips_.join(here, weak ? "/workload/batch_per_rank" : "/workload/global_batch", batches.size(), i)) continue;
      for (std::size_t k = 0; k < seeds.size(); ++k) {
        Zips::Places last = here;
        if (!zips_.join(last, "/training/seed", seeds.size(), k)) continue;
        Case& which = cases.emplace_back();
        which.strategy = strategy_;
        which.family = strategies::name(family_);
        which.ranks = ranks;
        which.threads_per_rank = threads;
        which.global_batch = batches[i] * (weak ? ranks : 1);
        which.seed = seeds[k];
      }
    }
  }

  const Experiment& experiment_;
  const Workload& workload_;
  const StrategyChoice& strategy_;
  const Registries& registries_;
  const Zips& zips_;
  strategies::Family family_;
};

/// Returns the cases of an experiment with one variant, in which `axes` were chosen.
std::vector<Case> cases_of(const Experiment& experiment, const std::vector<AxisValue>& axes, const Zips& zips,
                           const Registries& registries, int cores) {
  std::vector<Case> cases;
  const Zips::Places places = zips.places_of(axes);
  for (const auto& strategy : experiment.strategies) {
    Zips::Places here = places;
    if (!Zips::join(here, zips.places_of(strategy.axes))) continue;
    std::vector<Case> own = StrategyCases(experiment, strategy, registries, zips).all(here, cores);
    std::move(own.begin(), own.end(), std::back_inserter(cases));
  }
  return cases;
}

/// Finds cases that occur twice because `single` ignores the threads that a list asks for.
class Repeats {
 public:
  explicit Repeats(const Experiment& experiment) {
    for (const Variant& one : experiment.variants) {
      has_threads_ = has_threads_ || std::any_of(one.axes.begin(), one.axes.end(), is_threads);
    }
  }
  bool is_new(const Variant* variant, const Case& which) {
    if (!has_threads_ || variant == nullptr) return true;
    std::string chosen;
    for (const AxisValue& axis : variant->axes)
      if (!is_threads(axis)) chosen += axis.pointer + " ";
    return known_
        .emplace(chosen, which.strategy.index, which.ranks, which.threads_per_rank, which.global_batch, which.seed)
        .second;
  }

 private:
  static bool is_threads(const AxisValue& axis) { return axis.setting == "/devices/threads_per_rank"; }
  bool has_threads_ = false;
  std::set<std::tuple<std::string, int, int, int, std::int64_t, std::uint64_t>> known_;
};

/// The hashes of a variant's cases, each computed once.
class CaseHashes {
 public:
  explicit CaseHashes(const Experiment& experiment) : contracts_(experiment) {}
  void note(Case& which) {
    const auto [found, is_new] = known_.try_emplace({which.global_batch, which.seed});
    if (is_new) {
      found->second = {contracts_.contract_id(which.global_batch, which.seed), contracts_.scaling_id(which.seed),
                       contracts_.replicate_id(which.global_batch)};
    }
    which.contract_id = found->second.contract;
    which.scaling_id = found->second.scaling;
    which.replicate_id = found->second.replicate;
  }

 private:
  struct Hashes {
    std::string contract, scaling, replicate;
  };
  Contracts contracts_;
  std::map<std::pair<std::int64_t, std::uint64_t>, Hashes> known_;
};

}  // namespace

std::vector<Case> expand(const Experiment& experiment, const Registries& registries, int cores,
                         const CaseCheck& check_case) {
  std::vector<Case> cases;
  const Varying varying = varying_in(experiment);
  CaseRules rules(experiment);
  Repeats repeats(experiment);
  std::size_t number = 0;
  const std::size_t variants = std::max<std::size_t>(1, experiment.variants.size());
  for (std::size_t i = 0; i < variants; ++i) {
    const Experiment one = of_variant(experiment, i);
    const Variant* variant = experiment.variants.empty() ? nullptr : &experiment.variants[i];
    if (variant != nullptr) rules.enter(*variant);
    CaseHashes hashes(one);
    const std::string settings = variant == nullptr ? "" : varying_settings(*variant);
    const std::vector<AxisValue> axes = variant == nullptr ? std::vector<AxisValue>{} : variant->axes;
    for (Case& which : cases_of(one, axes, experiment.combinations.zips, registries, cores)) {
      which.variant = static_cast<int>(i);
      if (!repeats.is_new(variant, which)) continue;
      ++number;  // of the excluded ones, too: a rule changes no other case's id
      if (rules.excludes(which)) continue;
      which.id = case_id(number, varying, experiment, which);
      which.settings = settings;
      const int usable = cores + (which.ranks > 1 ? one.devices.derived.other_cores : 0);
      which.oversubscribed = which.ranks * which.threads_per_rank > usable;
      which.shares_devices = shares_devices(one.devices, which.ranks);
      hashes.note(which);
      if (check_case) check_case(experiment, which);
      cases.push_back(std::move(which));
    }
  }
  rules.require_effect(cases.size());
  return cases;
}

void require_runnable(const Experiment& experiment, const std::vector<Case>& cases) {
  std::map<std::string, std::vector<const Case*>> cases_of_strategy;
  for (const auto& which : cases) cases_of_strategy[which.strategy.pointer].push_back(&which);
  std::vector<json::Problem> problems;
  int entry = -1;
  for (const auto& strategy : experiment.strategies) {
    if (strategy.entry == entry) continue;
    entry = strategy.entry;
    std::string reasons;
    std::set<std::string> told;
    bool runs = cases_of_strategy[strategy.pointer].empty();  // all are excluded
    for (const Case* which : cases_of_strategy[strategy.pointer]) {
      runs = runs || which->unsupported.empty() || which->strategy.expect == "unsupported";
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
