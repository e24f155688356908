#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// Returns the order of PipeDream-Flush (Narayanan et al. 2021): p−i−1 warm-up forwards, then one forward and one
/// backward in turn. The bubble is that of GPipe, (p−1)/(m+p−1), with min(m, p−i) micro-batches in flight on stage i.
/// Where stages have several ranks, each of the r ranks of a stage has at most ⌈(ranks from this stage on)/r⌉ in
/// flight, the number that PipeDream gives the first stage (Harlap et al. 2018, section 3.2).
std::vector<Work> one_forward_one_backward_order(const Pipeline& pipeline, int rank) {
  const std::vector<int> own = pipeline.microbatches_of(rank);
  const auto warm_up = static_cast<std::size_t>(pipeline.passes_ahead(rank));
  std::vector<Work> all;
  const auto add = [&](Work::Kind kind, std::size_t index) {
    if (index < own.size()) all.push_back({kind, pipeline.chunk_of(rank, own[index]), own[index]});
  };
  for (std::size_t i = 0; i < own.size() + warm_up; ++i) {
    add(Work::Kind::forward, i);
    if (i >= warm_up) add(Work::Kind::backward, i - warm_up);
  }
  return all;
}

}  // namespace

ScheduleKind one_forward_one_backward() {
  return {.name = "1f1b",
          .help = "pipeline with a flush: forward and backward passes alternate (Narayanan et al. 2021)",
          .schedule = one_forward_one_backward_order,
          .has_ranks_per_stage = true};
}

}  // namespace ddlbench::strategies
