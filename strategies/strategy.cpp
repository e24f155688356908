#include "strategies/strategy.h"

#include "base/enumeration.h"
#include "base/names.h"
#include "strategies/preset.h"

namespace ddlbench::strategies {

std::string_view name(Family family) {
  return name_of<Family::hybrid>(family, "single", "data", "intra_layer", "inter_layer", "hybrid");
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
