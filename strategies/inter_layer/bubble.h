#pragma once

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// How a schedule of a chain of stages uses its ranks.
struct Bubble {
  double step = 0;    ///< from the first work to the last one, in the unit of the StageCosts
  double span = 0;    ///< the longest time from a rank's own first work to its own last work
  double work = 0;    ///< of the rank with the most work
  int most_held = 0;  ///< forwards whose activations a rank holds at once, until their weight halves have ended

  /// The share of the step in which that rank waits.
  double of_step() const { return 1 - work / step; }
  /// The share of the span, which is the metric of Qi et al. 2024: a rank begins its next step without waiting for
  /// others.
  double of_span() const { return 1 - work / span; }
};

/// Throws ContractError where the schedule waits for itself.
Bubble bubble_of(const Pipeline& pipeline, const Schedule& schedule);

}  // namespace ddlbench::strategies
