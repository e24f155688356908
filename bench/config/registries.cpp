#include "bench/config/registries.h"

#include "graph/names.h"

namespace ddlbench::bench {

const strategies::StrategyKind& Registries::strategy(const std::string& name) const {
  return graph::find_named(strategies, name, "strategy");
}

Registries real_registries() {
  return {strategies::strategy_kinds(), workloads::model_kinds(), workloads::dataset_kinds(), kernels::device_kinds(),
          comm::transports()};
}

}  // namespace ddlbench::bench
