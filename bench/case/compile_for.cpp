#include "bench/case/compile_for.h"

#include "bench/case/precision.h"
#include "kernels/device.h"
#include "program/passes.h"
#include "strategies/strategy.h"

namespace ddlbench::bench {

program::Plan compile_for(const std::string& device_kind, const std::string& precision, const graph::Graph& model,
                          std::int64_t global_batch, const graph::Optimizer& optimizer, const Choice& strategy,
                          int ranks, const program::CostTable& profile) {
  const std::int64_t block = kernels::channel_block(device_kind, stored_type(precision), precision == "tf32");
  const strategies::StrategyKind& kind = strategies::find_strategy(strategy.kind);
  program::Plan plan = kind.compile({model, global_batch, ranks, optimizer, profile, block}, strategy.options);
  if (kernels::asynchronous(device_kind)) program::double_buffer_inputs(plan);
  return plan;
}

}  // namespace ddlbench::bench
