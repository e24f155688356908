#include "strategies/inter_layer/warm_up_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ddlbench::strategies {
namespace {

/// Number of first forwards, by rank. It must not rise from one rank to the next: a rank would wait for forwards that
/// the one before it runs after their input halves.
using WarmUp = std::vector<int>;

/// One forward more or fewer on the ranks from `begin` to before `end`.
struct Move {
  std::size_t begin = 0, end = 0;
  int change = 0;
};

std::vector<Work> order_of(int microbatches, int first_forwards) {
  std::vector<Work> order;
  int forwards = 0;
  const auto forward = [&] {
    if (forwards < microbatches) order.push_back({Work::Kind::forward, 0, forwards++});
  };
  while (forwards < std::min(first_forwards, microbatches)) forward();
  for (int m = 0; m < microbatches; ++m) {
    order.push_back({Work::Kind::backward_input, 0, m});
    forward();
  }
  return order;
}

class Search {
 public:
  Search(const Pipeline& pipeline, int most_held)
      : pipeline_(pipeline), most_held_(most_held), trials_(trials_of(pipeline)) {
    for (const double slope : {1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0})
      for (const double gap : {0.25, 0.5, 1.0}) try_out(line(slope), gap);
    while (trials_ > 0 && improve()) {
    }
  }

  FilledOrders take() && { return std::move(best_); }

 private:
  /// About as many as take a second.
  static int trials_of(const Pipeline& pipeline) {
    const double works = 3.0 * pipeline.ranks * pipeline.microbatches;
    return static_cast<int>(std::clamp(2e7 / (works * (8 + pipeline.ranks / 8.0)), 32.0, 400.0));
  }

  /// From one forward on the last rank, `slope` more on each rank before it.
  WarmUp line(double slope) const {
    WarmUp warm_up;
    for (int behind = pipeline_.ranks - 1; behind >= 0; --behind)
      warm_up.push_back(std::min(most_held_, 1 + static_cast<int>(slope * behind)));
    return warm_up;
  }

  /// Returns whether `warm_up` is better than the best so far, and then keeps it.
  bool try_out(const WarmUp& warm_up, double least_gap) {
    --trials_;
    std::vector<std::vector<Work>> orders;
    for (const int forwards : warm_up) orders.push_back(order_of(pipeline_.microbatches, forwards));
    FilledOrders filled = fill_weights(pipeline_, orders, {most_held_, least_gap});
    const int forwards = std::accumulate(warm_up.begin(), warm_up.end(), 0);
    const double rounding = 1e-9 * filled.span;
    const bool is_shorter = filled.span < best_.span - rounding;
    const bool is_equal = filled.span < best_.span + rounding;
    if (!is_shorter && !(is_equal && forwards < forwards_)) return false;
    best_ = std::move(filled);
    warm_up_ = warm_up;
    least_gap_ = least_gap;
    forwards_ = forwards;
    return true;
  }

  bool improve() {
    const std::size_t ranks = warm_up_.size();
    std::vector<Move> moves;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (const int change : {1, -1}) {
        moves.push_back({0, rank + 1, change});
        moves.push_back({rank, ranks, change});
        moves.push_back({rank, rank + 1, change});
      }
    for (const Move& move : moves) {
      WarmUp moved = warm_up_;
      for (std::size_t rank = move.begin; rank < move.end; ++rank) moved[rank] += move.change;
      const bool falls = std::is_sorted(moved.rbegin(), moved.rend());
      if (falls && moved.front() <= most_held_ && moved.back() >= 1 && trials_ > 0 && try_out(moved, least_gap_))
        return true;
    }
    return false;
  }

  const Pipeline& pipeline_;
  int most_held_;
  int trials_;
  FilledOrders best_{{}, std::numeric_limits<double>::infinity()};
  WarmUp warm_up_;
  double least_gap_ = 0;
  int forwards_ = 0;
};

}  // namespace

FilledOrders search_warm_up(const Pipeline& pipeline, int most_held) {
  return Search(pipeline, most_held).take();
}

}  // namespace ddlbench::strategies
