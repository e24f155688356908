#include "bench/config/expand.h"

#include <fmt/core.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "bench/config/case_id.h"
#include "bench/config/case_rules.h"
#include "bench/config/check_strategies.h"
#include "bench/config/contract.h"
#include "bench/config/problem.h"
#include "bench/config/variants.h"

namespace ddlbench::bench {
namespace {

/// Returns the cores on which the ranks of a case can run.
int cores_for(const Devices& devices, int ranks, int cores) {
  return cores + (ranks > 1 && devices.needs_launcher() ? devices.derived.other_cores : 0);
}

/// Threads of a rank.
struct Threads {
  int number = 1;
  int asked = 0;  ///< of the configuration; 0: as many as the cores allow
};

std::vector<Threads> threads_of(bool is_single, int ranks, const Devices& devices, int cores) {
  const int asked = devices.threads_per_rank;
  if (devices.derived.is_accelerator) return {{std::max(1, asked), asked}};  // the host launches, but does not compute
  if (is_single && asked != 0) return {{cores, 0}, {asked, asked}};
  if (is_single) return {{cores, 0}};
  return {{asked != 0 ? asked : std::max(1, cores_for(devices, ranks, cores) / ranks), asked}};
}

/// A case, and the threads of a rank that the configuration asks for in it.
struct Candidate {
  Case which;
  int asked_threads = 0;
};

/// Returns whether ranks must share accelerators. If a launcher starts them, the number of machines is not known yet.
bool shares_devices(const Devices& devices, int ranks) {
  return devices.derived.seen > 0 && ranks > devices.derived.seen && !devices.needs_launcher();
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
  std::vector<Candidate> all(const Zips::Places& places, int cores) const {
    std::vector<Candidate> cases;
    const bool is_single = family_ == strategies::Family::single;
    const std::vector<int> counts = ranks_of(strategy_, experiment_.devices, registries_);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      Zips::Places here = places;
      if (!zips_.join(here, "/devices/ranks", counts.size(), i)) continue;
      for (const Threads& threads : threads_of(is_single, counts[i], experiment_.devices, cores))
        add_batches(here, counts[i], threads, cases);
    }
    return cases;
  }

 private:
  void add_batches(const Zips::Places& places, int ranks, const Threads& threads, std::vector<Candidate>& cases) const {
    const bool weak = workload_.scales_weakly();
    const std::vector<std::int64_t>& batches = workload_.batches();
    const std::vector<std::uint64_t>& seeds = experiment_.training.seed;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      Zips::Places here = places;
      if (!zips_.join(here, weak ? "/workload/batch_per_rank" : "/workload/global_batch", batches.size(), i)) continue;
      for (std::size_t k = 0; k < seeds.size(); ++k) {
        Zips::Places last = here;
        if (!zips_.join(last, "/training/seed", seeds.size(), k)) continue;
        Case& which = cases.emplace_back(Candidate{{}, threads.asked}).which;
        which.strategy = strategy_;
        which.family = strategies::name(family_);
        which.ranks = ranks;
        which.threads_per_rank = threads.number;
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
std::vector<Candidate> cases_of(const Experiment& experiment, const std::vector<AxisValue>& axes, const Zips& zips,
                                const Registries& registries, int cores) {
  std::vector<Candidate> cases;
  const Zips::Places places = zips.places_of(axes);
  for (const auto& strategy : experiment.strategies) {
    Zips::Places here = places;
    if (!Zips::join(here, zips.places_of(strategy.axes))) continue;
    std::vector<Candidate> own = StrategyCases(experiment, strategy, registries, zips).all(here, cores);
    std::move(own.begin(), own.end(), std::back_inserter(cases));
  }
  return cases;
}

/// Finds cases that occur twice because `single` also runs with another number of threads than the one that is asked
/// for.
class Repeats {
 public:
  explicit Repeats(const Experiment& experiment) : asks_for_threads_(experiment.devices.threads_per_rank != 0) {
    for (const Variant& one : experiment.variants)
      asks_for_threads_ = asks_for_threads_ || one.devices.threads_per_rank != 0;
  }
  /// Returns whether no earlier case asks for the same, on any machine.
  bool is_new(const Variant* variant, const Candidate& candidate) {
    return !asks_for_threads_ || asked_.insert(key(variant, candidate.which, candidate.asked_threads)).second;
  }
  /// Returns whether no earlier case is the same on this machine.
  bool is_new_here(const Variant* variant, const Case& which) {
    return !asks_for_threads_ || known_.insert(key(variant, which, which.threads_per_rank)).second;
  }

 private:
  using Key = std::tuple<std::string, int, int, int, std::int64_t, std::uint64_t>;
  static Key key(const Variant* variant, const Case& which, int threads) {
    std::string chosen;
    if (variant != nullptr) {
      for (const AxisValue& axis : variant->axes)
        if (axis.setting != "/devices/threads_per_rank") chosen += axis.pointer + " ";
    }
    return {chosen, which.strategy.index, which.ranks, threads, which.global_batch, which.seed};
  }
  bool asks_for_threads_;
  std::set<Key> asked_, known_;
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
    for (Candidate& candidate : cases_of(one, axes, experiment.combinations.zips, registries, cores)) {
      Case& which = candidate.which;
      which.variant = static_cast<int>(i);
      if (!repeats.is_new(variant, candidate)) continue;
      ++number;  // of those that are left out, too: neither a rule nor the cores change another case's id
      if (!repeats.is_new_here(variant, which) || rules.excludes(which)) continue;
      which.id = case_id(number, varying, experiment, which);
      which.settings = settings;
      which.oversubscribed = which.ranks * which.threads_per_rank > cores_for(one.devices, which.ranks, cores);
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
      const std::string reason = fmt::format("at {}: {}", counted(which->ranks, "rank"), which->unsupported);
      if (told.insert(reason).second) reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    if (runs) continue;
    problems.push_back({location_of(experiment.locations, strategy.pointer), strategy.pointer,
                        fmt::format("{} cannot run at any requested number of ranks: {}", strategy.label, reasons)});
  }
  if (!problems.empty()) throw ConfigError(std::move(problems), experiment.sources);
}

}  // namespace ddlbench::bench
