#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// One micro-batch after another, each on the other copy of the model: its forward pass follows the backward pass of
/// the one before from rank to rank. A rank holds the activations of one micro-batch. With a backward pass that takes
/// twice a forward pass, a micro-batch begins every 2p+1 forward passes, so that the bubble is about (p−1)/(p+½) of the
/// step.
std::vector<Work> gems_order(const Pipeline& pipeline, int) {
  std::vector<Work> order;
  for (int m = 0; m < pipeline.microbatches; ++m)
    for (const Work::Kind kind : {Work::Kind::forward, Work::Kind::backward})
      order.push_back({kind, m % pipeline.model_copies, m});
  return order;
}

}  // namespace

ScheduleKind gems() {
  return {.name = "gems",
          .help = "two copies of the model take turns in opposite directions (Jain et al. 2020)",
          .schedule = gems_order,
          .chunks = 2,
          .chunk_order = ChunkOrder::wave,
          .model_copies = 2};
}

}  // namespace ddlbench::strategies
