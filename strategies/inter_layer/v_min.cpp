#include "strategies/inter_layer/v_order.h"

namespace ddlbench::strategies {
namespace {

std::vector<std::vector<Work>> v_min_orders(const Pipeline& pipeline) {
  return v_orders(pipeline, {1, 1, 1, 1});
}

}  // namespace

ScheduleKind v_min() {
  return {"v_min",
          "V-Min: like zb_v, with a third of the activations of 1f1b if there are many ranks (Qi et al. 2024)",
          v_min_orders,
          2,
          1,
          ChunkOrder::wave};
}

}  // namespace ddlbench::strategies
