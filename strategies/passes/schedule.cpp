#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

int Pipeline::stage_of(int chunk, int rank) const {
  const bool reversed = chunk_order == ChunkOrder::wave && chunk % 2 == 1;
  return chunk * ranks + (reversed ? ranks - 1 - rank : rank);
}

int Pipeline::rank_of(int stage) const {
  const bool reversed = chunk_order == ChunkOrder::wave && stage / ranks % 2 == 1;
  return reversed ? ranks - 1 - stage % ranks : stage % ranks;
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
