#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// Returns GPipe's order (Huang et al. 2019): all forwards, then all backwards in reverse, then the flush. For p equal
/// stages and m micro-batches the bubble is (p−1)/(m+p−1) of the step, and every stage has m micro-batches in flight.
std::vector<Work> gpipe_order(const Pipeline& pipeline, int) {
  std::vector<Work> all;
  for (int m = 0; m < pipeline.microbatches; ++m) all.push_back({Work::Kind::forward, 0, m});
  for (int m = pipeline.microbatches; m-- > 0;) all.push_back({Work::Kind::backward, 0, m});
  return all;
}

}  // namespace

ScheduleKind gpipe() {
  return {"gpipe", "pipeline with a flush: all forward passes, then all backward passes (Huang et al. 2019)",
          gpipe_order};
}

}  // namespace ddlbench::strategies
