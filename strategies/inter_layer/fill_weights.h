#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Where weight halves are put into an order of forwards and input halves.
struct WeightFilling {
  int most_held = 1;  ///< forwards whose activations a rank holds; it then ends a weight half before the next forward
  /// Where a rank would otherwise wait for at least this share of the weight half's time. Into a shorter gap the half
  /// would not fit: what other ranks wait for would be late.
  double least_gap = 0.5;
};

struct FilledOrders {
  std::vector<std::vector<Work>> orders;  ///< by rank
  double span = 0;                        ///< the longest time from a rank's first work to its last
};

/// Returns the orders of all ranks, `orders` of forwards and input halves, with their weight halves.
FilledOrders fill_weights(const Pipeline& pipeline, const std::vector<std::vector<Work>>& orders,
                          const WeightFilling& filling);

}  // namespace ddlbench::strategies
