#include <algorithm>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// Returns the order of PipeDream-Flush (Narayanan et al. 2021): p−i−1 warm-up forwards, then one forward and one
/// backward in turn. The bubble is that of GPipe, (p−1)/(m+p−1), with min(m, p−i) micro-batches in flight on stage i.
std::vector<Work> one_forward_one_backward_order(const Pipeline& pipeline, int stage) {
  std::vector<Work> all;
  const int warm_up = std::min(pipeline.microbatches, pipeline.ranks - stage - 1);
  for (int m = 0; m < warm_up; ++m) all.push_back({Work::Kind::forward, 0, m});
  for (int m = warm_up; m < pipeline.microbatches; ++m) {
    all.push_back({Work::Kind::forward, 0, m});
    all.push_back({Work::Kind::backward, 0, m - warm_up});
  }
  for (int m = pipeline.microbatches - warm_up; m < pipeline.microbatches; ++m)
    all.push_back({Work::Kind::backward, 0, m});
  return all;
}

}  // namespace

ScheduleKind one_forward_one_backward() {
  return {"1f1b", "pipeline with a flush: forward and backward passes alternate (Narayanan et al. 2021)",
          one_forward_one_backward_order};
}

}  // namespace ddlbench::strategies
