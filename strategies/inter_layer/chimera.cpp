#include <algorithm>
#include <utility>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {
namespace {

/// Merges 1F1B on two copies of the model, which begin at opposite ends. Work has begin times in the unit of a forward
/// or a backward pass; in those of p/2 micro-batches on each copy, the two copies never need a rank at once, and the
/// next ones follow without a gap. With even p and a multiple of p micro-batches m the bubble is (p−2)/(2m+p−2) of the
/// step where both passes take equally long.
std::vector<Work> chimera_order(const Pipeline& pipeline, int rank) {
  const int p = pipeline.ranks, round = std::max(1, p / 2);
  std::vector<std::pair<int, Work>> timed;
  for (int m = 0; m < pipeline.microbatches; ++m) {
    const int copy = m % pipeline.model_copies, of_copy = m / pipeline.model_copies;
    const int first = of_copy / round * 2 * p + of_copy % round * 2, stage = copy == 0 ? rank : p - 1 - rank;
    timed.push_back({first + stage, {Work::Kind::forward, copy, m}});
    timed.push_back({first + 2 * p - 1 - stage, {Work::Kind::backward, copy, m}});
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Work> order;
  for (const auto& [begin, work] : timed) order.push_back(work);
  return order;
}

}  // namespace

ScheduleKind chimera() {
  return {.name = "chimera",
          .help = "two copies of the model run in opposite directions (Li and Hoefler 2021)",
          .schedule = chimera_order,
          .chunks = 2,
          .chunk_order = ChunkOrder::wave,
          .model_copies = 2};
}

}  // namespace ddlbench::strategies
