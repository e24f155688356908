#include "bench/config/check_strategies.h"

#include <algorithm>

#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

std::string list(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

bool overlap(const std::vector<int>& a, const std::vector<int>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

std::vector<int> ranks_of(const StrategyChoice& strategy, const Devices& devices, const Registries& registries) {
  const auto& kind = registries.strategy(strategy.choice.kind);
  const bool is_single = kind.family == strategies::Family::single;
  int fixed = is_single ? 1 : 0;
  if (kind.fixed_ranks != nullptr) fixed = kind.fixed_ranks(strategy.choice.options);
  if (fixed == 0) return strategy.ranks.empty() ? devices.ranks : strategy.ranks;
  if (!strategy.ranks.empty() && strategy.ranks != std::vector<int>{fixed}) {
    throw InputError(
        (is_single ? "\"" + kind.name + "\" runs on one rank" : "the mesh has " + std::to_string(fixed) + " ranks") +
        ", but \"ranks\" says " + list(strategy.ranks) + ": leave \"ranks\" out");
  }
  return {fixed};
}

void check_strategies(const Experiment& experiment, const json::Node& document, const Registries& registries,
                      std::vector<json::Problem>& problems) {
  const auto& nodes = document.find("strategies")->value.elements;
  std::vector<std::vector<int>> ranks;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const StrategyChoice& strategy = experiment.strategies[i];
    const std::string& pointer = strategy.pointer;
    const json::Member* own_ranks = nodes[i].find("ranks");
    try {
      ranks.push_back(ranks_of(strategy, experiment.devices, registries));
    } catch (const InputError& error) {
      ranks.emplace_back();
      problems.push_back({own_ranks != nullptr ? own_ranks->value.at : nodes[i].at,
                          own_ranks != nullptr ? json::child(pointer, "ranks") : pointer, error.what()});
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (experiment.strategies[j].label != strategy.label || !overlap(ranks[i], ranks[j])) continue;
      problems.push_back(
          {nodes[i].at, pointer, "the same as " + experiment.strategies[j].pointer + ": " + strategy.label});
      break;
    }
  }
}

}  // namespace ddlbench::bench
