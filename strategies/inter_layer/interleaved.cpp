#include <algorithm>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// Chunk and micro-batch of the k-th forward of a rank: p micro-batches through one chunk, then the same p
/// through the next. Backwards run through the chunks in reverse.
Work unit(int k, const Pipeline& pipeline, bool forward) {
  const int round = pipeline.stages * pipeline.chunks;
  const int chunk = k % round / pipeline.stages;
  return {forward ? Work::Kind::forward : Work::Kind::backward, forward ? chunk : pipeline.chunks - 1 - chunk,
          k / round * pipeline.stages + k % pipeline.stages};
}

/// Megatron-LM's interleaved 1F1B (Narayanan et al. 2021): every rank has v chunks of the model, so that the
/// bubble over the ideal time falls from (p−1)/m to (p−1)/(v·m) where p divides m. Where it does not, the
/// order is that of the next multiple without the micro-batches that are not there.
std::vector<Work> order(const Pipeline& pipeline, int rank) {
  const int p = pipeline.stages;
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
  return {"interleaved", "1f1b with several chunks of the model on each rank (Narayanan et al. 2021)", order, true};
}

}  // namespace ddlbench::strategies
