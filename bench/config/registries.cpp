#include "bench/config/registries.h"

#include "graph/error.h"

namespace ddlbench::bench {

const strategies::StrategyKind& Registries::strategy(const std::string& name) const {
  for (const auto& kind : strategies) {
    if (kind.name == name) return kind;
  }
  throw ContractError("no strategy \"" + name + "\": the configuration was not checked");
}

}  // namespace ddlbench::bench
