#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// Returns GPipe's order (Huang et al. 2019): all forwards, then all backwards in reverse, then the flush. For p equal
/// stages and m micro-batches the bubble is (p−1)/(m+p−1) of the step, and every stage has m micro-batches in flight.
std::vector<Work> gpipe_order(const Pipeline& pipeline, int rank) {
  const std::vector<int> own = pipeline.microbatches_of(rank);
  std::vector<Work> all;
  for (const int m : own) all.push_back({Work::Kind::forward, pipeline.chunk_of(rank, m), m});
  for (auto m = own.rbegin(); m != own.rend(); ++m)
    all.push_back({Work::Kind::backward, pipeline.chunk_of(rank, *m), *m});
  return all;
}

}  // namespace

ScheduleKind gpipe() {
  return {.name = "gpipe",
          .help = "pipeline with a flush: all forward passes, then all backward passes (Huang et al. 2019)",
          .schedule = gpipe_order,
          .has_ranks_per_stage = true};
}

}  // namespace ddlbench::strategies
