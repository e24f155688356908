#pragma once

#include <cstdint>
#include <vector>

#include "program/meetings.h"
#include "program/plan.h"
#include "program/timeline.h"

namespace ddlbench::program {

/// Where a rank's step went, in seconds. Disjoint by construction: the parts sum to `total`.
struct Budget {
  double forward = 0;
  double backward = 0;
  double recompute = 0;
  double communication = 0;  ///< exposed: what the rank itself spent on communicating (starting one, splitting and
                             ///< joining parts), and of a wait what comes after every rank taking part had begun
  double bubble = 0;         ///< of a wait what comes before that: nothing that this rank could run was ready
  double optimizer = 0;
  double input = 0;
  double rest = 0;  ///< the engine's own time and whatever else is unnamed
  double total = 0;

  Budget& operator+=(const Budget& other);
  Budget operator*(double factor) const;
};

/// Splits training steps of a plan. Waits are told apart by when the *other* ranks of the same
/// communication began it, wherever in flight: a collective by the latest of its group, a receive by its
/// sender, a send by its receiver, an exchange by the latest of its peers. So a rank that comes late costs
/// itself what made it late, and the others a bubble; a slow link costs all of them communication.
class BudgetSplitter {
 public:
  /// Throws ContractError where a communication has no counterpart. `plan` outlives the splitter.
  explicit BudgetSplitter(const Plan& plan);

  /// Budgets by rank; `timelines[rank]` are the same step on an aligned clock. Throws ContractError where
  /// spans overlap or leave their step.
  std::vector<Budget> split(const std::vector<StepTimeline>& timelines) const;

 private:
  Budget split_rank(int rank, const StepTimeline& timeline, const std::vector<std::int64_t>& all_began) const;

  const Plan& plan_;
  Meetings meetings_;
};

/// The same for one step alone.
std::vector<Budget> split(const Plan& plan, const std::vector<StepTimeline>& timelines);

}  // namespace ddlbench::program
