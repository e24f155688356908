#include "strategies/inter_layer/fill_weights.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "strategies/inter_layer/chain_times.h"

namespace ddlbench::strategies {
namespace {

struct Begin {
  double time = 0;
  Work work;
};

/// One rank, as its order grows.
struct FilledRank {
  std::vector<Work> order;
  std::size_t given = 0;      ///< entries of the given order that have run
  std::vector<Work> weights;  ///< halves that can run or have run
  std::size_t weights_run = 0;
  double first = 0, free = 0;  ///< when its first work began, and when its last work ends
  int held = 0;
  std::optional<Begin> next;  ///< nothing if it must wait for other ranks first
};

class Filling {
 public:
  Filling(const Pipeline& pipeline, const std::vector<std::vector<Work>>& given, const WeightFilling& filling)
      : pipeline_(pipeline), given_(given), filling_(filling), times_(pipeline), ranks_(given.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) find_next(rank);
    while (const std::optional<std::size_t> rank = first_to_begin()) run_next(*rank);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      require(ranks_[rank].given == given_[rank].size(),
              "an order of forwards and input halves waits for itself on rank {}", rank);
  }

  FilledOrders take() && {
    FilledOrders filled;
    for (FilledRank& rank : ranks_) {
      filled.span = std::max(filled.span, rank.free - rank.first);
      filled.orders.push_back(std::move(rank.order));
    }
    return filled;
  }

 private:
  void find_next(std::size_t index) {
    FilledRank& rank = ranks_[index];
    rank.next.reset();
    const bool has_weights = rank.weights_run < rank.weights.size();
    if (rank.given < given_[index].size()) {
      const Work& work = given_[index][rank.given];
      const bool is_full = work.kind == Work::Kind::forward && rank.held >= filling_.most_held && has_weights;
      const auto time = times_.ready(work, static_cast<int>(index), rank.free);
      if (time && !is_full) rank.next = {*time, work};
    }
    if (!has_weights) return;
    const Work& weight = rank.weights[rank.weights_run];
    const int stage = pipeline_.stage_of(weight.chunk, static_cast<int>(index));
    const double gap = filling_.least_gap * pipeline_.costs.of(stage, graph::Phase::backward_weight);
    if (!rank.next || rank.next->time > rank.free + gap) rank.next = {rank.free, weight};
  }

  std::optional<std::size_t> first_to_begin() const {
    std::optional<std::size_t> first;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].next && (!first || ranks_[rank].next->time < ranks_[*first].next->time)) first = rank;
    return first;
  }

  void run_next(std::size_t index) {
    FilledRank& rank = ranks_[index];
    const auto [time, work] = *rank.next;
    if (rank.order.empty()) rank.first = time;
    rank.free = times_.run(work, static_cast<int>(index), time);
    rank.order.push_back(work);
    if (work.kind == Work::Kind::backward_weight) {
      ++rank.weights_run;
      --rank.held;
    } else {
      ++rank.given;
      if (work.kind == Work::Kind::forward)
        ++rank.held;
      else
        rank.weights.push_back({Work::Kind::backward_weight, work.chunk, work.microbatch});
    }
    find_next(index);
    const int stage = pipeline_.stage_of(work.chunk, static_cast<int>(index));
    for (const int neighbour : {stage - 1, stage + 1})
      if (neighbour >= 0 && neighbour < pipeline_.stages())
        find_next(static_cast<std::size_t>(pipeline_.rank_of(neighbour)));
  }

  const Pipeline& pipeline_;
  const std::vector<std::vector<Work>>& given_;
  const WeightFilling& filling_;
  ChainTimes times_;
  std::vector<FilledRank> ranks_;
};

}  // namespace

FilledOrders fill_weights(const Pipeline& pipeline, const std::vector<std::vector<Work>>& orders,
                          const WeightFilling& filling) {
  return Filling(pipeline, orders, filling).take();
}

}  // namespace ddlbench::strategies
