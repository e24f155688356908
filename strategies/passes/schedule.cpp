#include "strategies/passes/schedule.h"

#include <numeric>

namespace ddlbench::strategies {

int Pipeline::stages_of_copy() const {
  return ranks_per_stage.empty() ? ranks * chunks / model_copies : static_cast<int>(ranks_per_stage.size());
}

int Pipeline::chunks_of(int rank) const {
  return ranks_per_stage.empty() ? chunks : model_copies / stage_ranks_of(rank).count;
}

int Pipeline::stage_of(int chunk, int rank) const {
  if (!ranks_per_stage.empty()) {
    const auto [stage, first, count] = stage_ranks_of(rank);
    return (chunk * count + rank - first) * stages_of_copy() + stage;
  }
  const bool reversed = chunk_order == ChunkOrder::wave && chunk % 2 == 1;
  return chunk * ranks + (reversed ? ranks - 1 - rank : rank);
}

int Pipeline::rank_of(int stage) const {
  if (!ranks_per_stage.empty()) {
    const auto before = ranks_per_stage.begin() + stage % stages_of_copy();
    return std::accumulate(ranks_per_stage.begin(), before, 0) + copy_of(stage) % *before;
  }
  const bool reversed = chunk_order == ChunkOrder::wave && stage / ranks % 2 == 1;
  return reversed ? ranks - 1 - stage % ranks : stage % ranks;
}

StageRanks Pipeline::stage_ranks_of(int rank) const {
  if (ranks_per_stage.empty()) return {rank, rank, 1};
  int stage = 0, first = 0, count = ranks_per_stage.front();
  while (first + count <= rank) {
    first += count;
    count = ranks_per_stage[static_cast<std::size_t>(++stage)];
  }
  return {stage, first, count};
}

std::vector<int> Pipeline::microbatches_of(int rank) const {
  const auto [stage, first, count] = stage_ranks_of(rank);
  std::vector<int> own;
  for (int m = rank - first; m < microbatches; m += count) own.push_back(m);
  return own;
}

int Pipeline::passes_ahead(int rank) const {
  const auto [stage, first, count] = stage_ranks_of(rank);
  return (ranks - first - 1) / count;
}

std::vector<std::vector<Work>> Schedule::orders(const Pipeline& pipeline) const {
  if (const auto* all = std::get_if<OfAllRanks>(&order_)) return (*all)(pipeline);
  std::vector<std::vector<Work>> orders;
  for (int rank = 0; rank < pipeline.ranks; ++rank) orders.push_back(std::get<OfRank>(order_)(pipeline, rank));
  return orders;
}

std::vector<Work> accumulate_schedule(const Pipeline& pipeline, int) {
  std::vector<Work> order;
  for (int m = 0; m < pipeline.microbatches; ++m) {
    order.push_back({Work::Kind::forward, 0, m});
    order.push_back({Work::Kind::backward, 0, m});
  }
  return order;
}

}  // namespace ddlbench::strategies
