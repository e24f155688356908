#include "strategies/strategy.h"

#include "base/error.h"
#include "base/names.h"
#include "strategies/preset.h"

namespace ddlbench::strategies {

std::string_view name(Family family) {
  switch (family) {
    case Family::single:
      return "single";
    case Family::data:
      return "data";
    case Family::intra_layer:
      return "intra_layer";
    case Family::inter_layer:
      return "inter_layer";
    case Family::hybrid:
      return "hybrid";
  }
  throw ContractError("unknown family");
}

const std::vector<StrategyKind>& strategy_kinds() {
  static const std::vector<StrategyKind> kinds = [] {
    std::vector<StrategyKind> all;
    for (const Preset& preset : presets()) all.push_back(kind_of(preset));
    return all;
  }();
  return kinds;
}

const StrategyKind& find_strategy(const std::string& wanted) {
  return find_named(strategy_kinds(), wanted, "strategy");
}

}  // namespace ddlbench::strategies
