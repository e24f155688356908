#include "bench/config/registries.h"

#include "graph/names.h"

namespace ddlbench::bench {

const strategies::StrategyKind& Registries::strategy(const std::string& name) const {
  return graph::find_named(strategies, name, "strategy");
}

}  // namespace ddlbench::bench
