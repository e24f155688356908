#include "strategies/inter_layer/v_order.h"

namespace ddlbench::strategies {
namespace {

std::vector<std::vector<Work>> v_half_orders(const Pipeline& pipeline) {
  return v_orders(pipeline, {1, 2, 1, 2});
}

}  // namespace

ScheduleKind v_half() {
  return {"v_half",
          "V-Half: like zb_v, with a half of the activations of 1f1b if there are many ranks (Qi et al. 2024)",
          v_half_orders,
          2,
          1,
          ChunkOrder::wave};
}

}  // namespace ddlbench::strategies
