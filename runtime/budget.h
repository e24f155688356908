#pragma once

#include <map>
#include <string>
#include <vector>

#include "program/plan.h"
#include "runtime/timeline.h"

namespace ddlbench::runtime {

/// Where a rank's step went, in seconds. Disjoint by construction: the parts sum to `total`.
struct Budget {
  double forward = 0;
  double backward = 0;
  double recompute = 0;
  double communication = 0;  ///< exposed: a wait, from when every rank taking part had begun
  double bubble = 0;         ///< a wait, before that: nothing that this rank could run was ready
  double optimizer = 0;
  double input = 0;
  double rest = 0;  ///< the engine's own time and whatever else is unnamed
  double total = 0;

  Budget& operator+=(const Budget& other);
  Budget operator*(double factor) const;
};

/// Splits one step of every rank of a plan. Waits are told apart by when the *other* ranks of the same
/// communication began it, wherever in flight: `timelines[rank]` are the same step on an aligned clock.
std::vector<Budget> split(const program::Plan& plan, const std::vector<StepTimeline>& timelines);

}  // namespace ddlbench::runtime
