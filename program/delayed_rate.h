#pragma once

#include <cmath>
#include <cstdint>

namespace ddlbench::program {

/// A lower learning rate in the first steps where gradients are of older weights (Yang et al. 2021, PipeMare): that of
/// step t divided by (1 + delay)^(1 − t / steps).
struct DelayedRate {
  std::int64_t delay = 0;  ///< updates by which the weights are older
  std::int64_t steps = 0;  ///< until the whole rate is used; 0: from the first step

  /// Returns the factor of the learning rate in a step, which counts from 0.
  double factor(std::int64_t step) const {
    if (step >= steps) return 1;
    return std::pow(1.0 + static_cast<double>(delay), static_cast<double>(step) / static_cast<double>(steps) - 1);
  }
};

}  // namespace ddlbench::program
