#include "strategies/inter_layer/zero_bubble.h"

namespace ddlbench::strategies {
namespace {

/// The bubble is (p−1)·(F+B−2W) for m ≥ 2p−1 and W no longer than F and B if each rank's step counts from its own first
/// to its own last work (ranks begin a step as soon as they have ended the one before). At most 2p−1 micro-batches are
/// in flight.
std::vector<Work> zb_h2_order(const Pipeline& pipeline, int rank) {
  return zero_bubble_order(pipeline.microbatches, 2 * (pipeline.ranks - rank) - 1, 2 * rank);
}

}  // namespace

ScheduleKind zb_h2() {
  return {"zb_h2", "ZB-H2: like zb_h1, but ranks wait even less, with twice the memory (Qi et al. 2024)", zb_h2_order};
}

}  // namespace ddlbench::strategies
