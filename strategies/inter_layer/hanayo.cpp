#include "strategies/inter_layer/list_schedule.h"

namespace ddlbench::strategies {
namespace {

/// The bubble is about (2p−2)/(3pw+p−1) of the step with w waves, equal stages, a backward pass that takes twice a
/// forward pass, and m = p (Liu et al. 2023): it falls as waves are added, while there are more messages.
std::vector<std::vector<Work>> hanayo_orders(const Pipeline& pipeline) {
  return list_schedule(pipeline, 2 * pipeline.ranks);
}

}  // namespace

ScheduleKind hanayo() {
  return {"hanayo",
          "stages in waves, each from the first rank to the last and back (Liu et al. 2023)",
          hanayo_orders,
          0,
          2,
          ChunkOrder::wave};
}

}  // namespace ddlbench::strategies
