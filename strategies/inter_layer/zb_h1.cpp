#include "strategies/inter_layer/zero_bubble.h"

namespace ddlbench::strategies {
namespace {

/// The bubble is (p−1)·(F+B−W) for m ≥ p and W no longer than F and B, where F, B and W are the times of a stage's
/// forward pass and of the halves of its backward pass. At most p micro-batches are in flight, as with 1F1B on the
/// first stage.
std::vector<Work> zb_h1_order(const Pipeline& pipeline, int rank) {
  return zero_bubble_order(pipeline.microbatches, pipeline.ranks - rank, rank);
}

}  // namespace

ScheduleKind zb_h1() {
  return {"zb_h1",
          "ZB-H1: 1f1b that runs the weight halves of backward passes where ranks would otherwise wait, with the same "
          "memory (Qi et al. 2024)",
          zb_h1_order};
}

}  // namespace ddlbench::strategies
