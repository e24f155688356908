#include <algorithm>
#include <tuple>

#include "strategies/inter_layer/fill_weights.h"

namespace ddlbench::strategies {
namespace {

/// A forward or an input half, and when it begins if stages follow each other at intervals of half a micro-batch's
/// work.
struct Paced {
  int time = 0;
  Work work;
};

/// Returns the forwards and input halves of a rank, which has the stages `rank` and 2p − 1 − `rank`, by their times. A
/// micro-batch takes 6 units of work on each rank, which is also the time between two micro-batches, and passes through
/// a stage every 3 units: then 2p chunks' activations are held on every rank.
std::vector<Work> paced(const Pipeline& pipeline, int rank) {
  constexpr int period = 6, pace = 3;
  const int last = pipeline.ranks - 1, turn = pace * last + 1;
  std::vector<Paced> all;
  for (int m = 0; m < pipeline.microbatches; ++m) {
    const int start = period * m, there = pace * rank, back = pace * (last - rank);
    all.push_back({start + 3 * turn + back, {Work::Kind::backward_input, 0, m}});
    all.push_back({start + 2 * turn + there, {Work::Kind::backward_input, 1, m}});
    all.push_back({start + turn + back, {Work::Kind::forward, 1, m}});
    all.push_back({start + there, {Work::Kind::forward, 0, m}});
  }
  const auto key = [](const Paced& one) { return std::tuple(one.time, one.work.kind, one.work.chunk); };
  std::sort(all.begin(), all.end(), [&](const Paced& a, const Paced& b) { return key(a) < key(b); });
  std::vector<Work> order;
  for (const Paced& one : all) order.push_back(one.work);
  return order;
}

/// Each rank has two chunks, the model's first stages on the way there and its last ones on the way back. Where F = B =
/// W and m ≥ p, the step takes p − 1 of these units longer than a rank's work, the least that is possible, because the
/// last rank cannot begin earlier. At most 2p chunks' activations are held, as much as 1F1B holds on its first stage.
std::vector<std::vector<Work>> zb_v_orders(const Pipeline& pipeline) {
  std::vector<std::vector<Work>> orders;
  for (int i = 0; i < pipeline.ranks; ++i) orders.push_back(paced(pipeline, i));
  return fill_weights(pipeline, orders, 2 * pipeline.ranks);
}

}  // namespace

ScheduleKind zb_v() {
  return {"zb_v",      "ZB-V: like zb_h1, with two chunks of the model on each rank, there and back (Qi et al. 2024)",
          zb_v_orders, 2,
          1,           ChunkOrder::wave};
}

}  // namespace ddlbench::strategies
