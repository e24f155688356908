#include <algorithm>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// Returns chunk and micro-batch of a rank's k-th forward, or its k-th backward. Forwards take p micro-batches through
/// one chunk, then the same p through the next. Backwards visit the chunks in reverse.
Work unit(int k, const Pipeline& pipeline, bool forward) {
  const int round = pipeline.stages();
  const int chunk = k % round / pipeline.ranks;
  return {forward ? Work::Kind::forward : Work::Kind::backward, forward ? chunk : pipeline.chunks - 1 - chunk,
          k / round * pipeline.ranks + k % pipeline.ranks};
}

/// Returns the order of Megatron-LM's interleaved 1F1B (Narayanan et al. 2021). Every rank has v chunks of the model,
/// which reduces the bubble, relative to the ideal time, from (p−1)/m to (p−1)/(v·m) where p divides m. Where p does
/// not divide m, the order is that of the next multiple of p, without the micro-batches that do not exist.
std::vector<Work> interleaved_order(const Pipeline& pipeline, int rank) {
  const int p = pipeline.ranks;
  const int rounds = (pipeline.microbatches + p - 1) / p;
  const int total = rounds * p * pipeline.chunks;
  const int warm_up = rounds == 1 ? total : std::min(total, (p - rank - 1) * 2 + (pipeline.chunks - 1) * p);
  std::vector<Work> all;
  const auto add = [&](int k, bool forward) {
    const Work work = unit(k, pipeline, forward);
    if (work.microbatch < pipeline.microbatches) all.push_back(work);
  };
  for (int k = 0; k < warm_up; ++k) add(k, true);
  for (int k = warm_up; k < total; ++k) {
    add(k, true);
    add(k - warm_up, false);
  }
  for (int k = total - warm_up; k < total; ++k) add(k, false);
  return all;
}

}  // namespace

ScheduleKind interleaved() {
  return {"interleaved", "1f1b with several chunks of the model on each rank (Narayanan et al. 2021)",
          interleaved_order, 0};
}

}  // namespace ddlbench::strategies
