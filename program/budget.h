#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "program/meetings.h"
#include "program/plan.h"
#include "program/timeline.h"

namespace ddlbench::program {

/// Where a rank's step went, in seconds. Disjoint by construction: the parts sum to the step.
struct Budget {
  double forward = 0, backward = 0, recompute = 0, communication = 0, bubble = 0, optimizer = 0, input = 0, rest = 0;

  double total() const;
  Budget& operator+=(const Budget& other);
  Budget operator*(double factor) const;

  struct Part;
  static const std::array<Part, 8> parts;  ///< all of them; the rest is the last
};

struct Budget::Part {
  const char* name;
  double Budget::*seconds;
  const char* help;  ///< "time in which the rank …"
};

inline constexpr std::array<Budget::Part, 8> Budget::parts{{
    {"forward", &Budget::forward, "ran operators of the forward pass"},
    {"backward", &Budget::backward, "ran operators of the backward pass"},
    {"recompute", &Budget::recompute, "ran forward operators again in place of keeping their results"},
    {"communication", &Budget::communication,
     "started a transfer, split and joined its parts, or waited for one that all its ranks had begun (what was hidden "
     "behind computing is not counted)"},
    {"bubble", &Budget::bubble, "waited for other ranks to begin: nothing that it could run was ready"},
    {"optimizer", &Budget::optimizer, "ran operators of the update"},
    {"input", &Budget::input, "waited for samples"},
    {"rest", &Budget::rest, "did anything else: the engine's own time"},
}};

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
