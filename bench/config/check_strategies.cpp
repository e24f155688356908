#include "bench/config/check_strategies.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/join.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

/// A detector of strategies that are listed twice for the same number of ranks.
class DuplicateFinder {
 public:
  /// Records `strategy` under `label` and each of `ranks`. Returns the first strategy that was recorded before under
  /// this label and one of these ranks, if any.
  std::optional<std::size_t> find_or_add(const std::string& label, const std::vector<int>& ranks,
                                         std::size_t strategy) {
    std::optional<std::size_t> first;
    for (const int count : ranks) {
      const auto [known, is_new] = first_.emplace(std::pair(label, count), strategy);
      if (!is_new) first = std::min(first.value_or(strategy), known->second);
    }
    return first;
  }

 private:
  std::map<std::pair<std::string, int>, std::size_t> first_;
};

}  // namespace

std::vector<int> ranks_of(const StrategyChoice& strategy, const Devices& devices, const Registries& registries) {
  const auto& kind = registries.strategy(strategy.choice.kind);
  if (kind.fixed_ranks == nullptr) return strategy.ranks.value_or(devices.ranks);
  const int fixed = kind.fixed_ranks(strategy.choice.options);
  if (strategy.ranks && *strategy.ranks != std::vector<int>{fixed}) {
    const std::string fixed_by = kind.family == strategies::Family::single
                                     ? fmt::format("\"{}\" runs on one rank", kind.name)
                                 : kind.family == strategies::Family::hybrid
                                     ? fmt::format("the mesh has {} ranks", fixed)
                                     : fmt::format("the settings of \"{}\" are for {} ranks", kind.name, fixed);
    throw InputError(fmt::format("{}, but \"ranks\" says {}: leave \"ranks\" out", fixed_by, joined(*strategy.ranks)));
  }
  return {fixed};
}

void check_strategies(const Experiment& experiment, const json::Node& document, const Registries& registries,
                      std::vector<json::Problem>& problems) {
  const auto& nodes = document.find("strategies")->value.elements;
  DuplicateFinder repeats;
  for (std::size_t i = 0; i < experiment.strategies.size(); ++i) {
    const StrategyChoice& strategy = experiment.strategies[i];
    const std::string& pointer = strategy.pointer;
    const json::Node& node = nodes[static_cast<std::size_t>(strategy.entry)];
    const json::Member* own_ranks = node.find("ranks");
    std::vector<int> ranks;
    try {
      ranks = ranks_of(strategy, experiment.devices, registries);
    } catch (const InputError& error) {
      problems.push_back({own_ranks != nullptr ? own_ranks->value.at : node.at,
                          own_ranks != nullptr ? json::child(pointer, "ranks") : pointer, error.what()});
    }
    if (const auto first = repeats.find_or_add(strategy.label, ranks, i)) {
      problems.push_back(
          {node.at, pointer, fmt::format("the same as {}: {}", experiment.strategies[*first].pointer, strategy.label)});
    }
  }
}

}  // namespace ddlbench::bench
