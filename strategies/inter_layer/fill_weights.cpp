#include "strategies/inter_layer/fill_weights.h"

#include <optional>

#include "base/error.h"
#include "strategies/inter_layer/chain_times.h"

namespace ddlbench::strategies {
namespace {

/// One rank, as its order grows.
struct FilledRank {
  std::vector<Work> order;
  std::size_t next = 0;          ///< of the given order
  std::size_t weights_done = 0;  ///< of `weights`
  std::vector<Work> weights;     ///< halves that can run
  double free = 0;
  int held = 0;
};

struct Begin {
  double time = 0;
  Work work;
};

/// Returns what the rank does next, and when; nothing if it must wait for other ranks first.
std::optional<Begin> next_of(const Pipeline& pipeline, const FilledRank& rank, int index,
                             const std::vector<Work>& given, int most_held, const ChainTimes& times) {
  std::optional<Begin> begin;
  const bool has_weights = rank.weights_done < rank.weights.size();
  if (rank.next < given.size()) {
    const Work& work = given[rank.next];
    const bool no_memory = work.kind == Work::Kind::forward && rank.held >= most_held && has_weights;
    if (const auto time = times.ready(work, index, rank.free); time && !no_memory) begin = {*time, work};
  }
  if (!has_weights) return begin;
  const Work& weight = rank.weights[rank.weights_done];
  // Into a shorter gap it would not fit: what other ranks wait for would be late.
  const double gap = pipeline.costs.of(pipeline.stage_of(weight.chunk, index), graph::Phase::backward_weight) / 2;
  if (begin && begin->time <= rank.free + gap) return begin;
  return Begin{rank.free, weight};
}

}  // namespace

std::vector<std::vector<Work>> fill_weights(const Pipeline& pipeline, const std::vector<std::vector<Work>>& orders,
                                            int most_held) {
  ChainTimes times(pipeline);
  std::vector<FilledRank> ranks(orders.size());
  while (true) {
    std::optional<Begin> first;
    std::size_t where = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto begin = next_of(pipeline, ranks[i], static_cast<int>(i), orders[i], most_held, times);
      if (!begin || (first && first->time <= begin->time)) continue;
      first = begin;
      where = i;
    }
    if (!first) break;
    FilledRank& rank = ranks[where];
    rank.free = times.run(first->work, static_cast<int>(where), first->time);
    rank.order.push_back(first->work);
    if (first->work.kind == Work::Kind::backward_weight) {
      ++rank.weights_done;
      --rank.held;
      continue;
    }
    ++rank.next;
    if (first->work.kind == Work::Kind::forward)
      ++rank.held;
    else
      rank.weights.push_back({Work::Kind::backward_weight, first->work.chunk, first->work.microbatch});
  }
  std::vector<std::vector<Work>> filled;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    require(ranks[i].next == orders[i].size(), "an order of forwards and input halves waits for itself on rank {}", i);
    filled.push_back(std::move(ranks[i].order));
  }
  return filled;
}

}  // namespace ddlbench::strategies
