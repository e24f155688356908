#include "strategies/passes/schedule.h"

#include <numeric>

namespace ddlbench::strategies {

int Pipeline::stages_of_copy() const {
  return stage_ranks.empty() ? ranks * chunks / model_copies : static_cast<int>(stage_ranks.size());
}

int Pipeline::chunks_of(int rank) const {
  return stage_ranks.empty() ? chunks : model_copies / replicas_of(rank).count;
}

int Pipeline::stage_of(int chunk, int rank) const {
  if (!stage_ranks.empty()) {
    int stage = 0;
    for (int last = rank; last >= stage_ranks[static_cast<std::size_t>(stage)]; ++stage)
      last -= stage_ranks[static_cast<std::size_t>(stage)];
    const auto [first, count] = replicas_of(rank);
    return (chunk * count + rank - first) * stages_of_copy() + stage;
  }
  const bool reversed = chunk_order == ChunkOrder::wave && chunk % 2 == 1;
  return chunk * ranks + (reversed ? ranks - 1 - rank : rank);
}

int Pipeline::rank_of(int stage) const {
  if (!stage_ranks.empty()) {
    const auto before = stage_ranks.begin() + stage % stages_of_copy();
    return std::accumulate(stage_ranks.begin(), before, 0) + copy_of(stage) % *before;
  }
  const bool reversed = chunk_order == ChunkOrder::wave && stage / ranks % 2 == 1;
  return reversed ? ranks - 1 - stage % ranks : stage % ranks;
}

StageReplicas Pipeline::replicas_of(int rank) const {
  StageReplicas replicas{rank, 1};
  int first = 0;
  for (const int count : stage_ranks) {
    if (first <= rank) replicas = {first, count};
    first += count;
  }
  return replicas;
}

std::vector<int> Pipeline::microbatches_of(int rank) const {
  const StageReplicas replicas = replicas_of(rank);
  std::vector<int> own;
  for (int m = rank - replicas.first; m < microbatches; m += replicas.count) own.push_back(m);
  return own;
}

int Pipeline::backward_lag(int rank) const {
  const auto [first, count] = replicas_of(rank);
  return (ranks - first + count - 1) / count * count - count;
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
