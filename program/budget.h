#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "program/matched_communications.h"
#include "program/plan.h"
#include "program/timeline.h"

namespace ddlbench::program {

/// How a rank spent a step, in seconds. The parts are disjoint and sum to the duration of the step.
struct Budget {
  double forward = 0, backward = 0, recompute = 0, communication = 0, bubble = 0, optimizer = 0, input = 0, rest = 0;

  double total() const;
  Budget& operator+=(const Budget& other);
  Budget operator*(double factor) const;

  struct Part;
  static const std::array<Part, 8> parts;  ///< all parts; `rest` is the last
};

struct Budget::Part {
  const char* name;
  double Budget::*seconds;
  const char* help;  ///< completes the phrase "time in which the rank …"
};

inline constexpr std::array<Budget::Part, 8> Budget::parts{{
    {"forward", &Budget::forward, "ran operators of the forward pass"},
    {"backward", &Budget::backward, "ran operators of the backward pass"},
    {"recompute", &Budget::recompute, "ran forward operators again because their results were not kept"},
    {"communication", &Budget::communication,
     "started a transfer, split and joined its parts, or waited for a transfer that all its ranks had begun (time that "
     "overlaps with computation does not count)"},
    {"bubble", &Budget::bubble, "waited for other ranks to begin, with nothing else ready to run"},
    {"optimizer", &Budget::optimizer, "ran operators of the update"},
    {"input", &Budget::input, "waited for samples"},
    {"rest", &Budget::rest, "did anything else: the engine's overhead"},
}};

/// Splits the wall time of training steps into budgets. A wait counts as a bubble until the *other* ranks of the
/// communication have started it, and as communication afterwards. For a collective, the last member of the group to
/// start decides; for a receive, its sender; for a send, its receiver; for an exchange, the last of its peers. A late
/// rank therefore pays for its own delay and gives the others a bubble, whereas a slow link costs all of them
/// communication.
class BudgetSplitter {
 public:
  /// Throws ContractError if a communication has no counterpart. `plan` must outlive the splitter.
  explicit BudgetSplitter(const Plan& plan);

  /// Returns one budget per rank. `timelines[rank]` must describe the same step, which says which body ran, on an
  /// aligned clock. Throws ContractError if spans overlap or extend beyond their step.
  std::vector<Budget> split(const std::vector<StepTimeline>& timelines) const;

 private:
  Budget split_rank(int rank, int body, const StepTimeline& timeline, const std::vector<std::int64_t>& all_began) const;

  const Plan& plan_;
  std::vector<MatchedCommunications> communications_;  ///< by body
};

/// Splits a single step; see BudgetSplitter.
std::vector<Budget> split(const Plan& plan, const std::vector<StepTimeline>& timelines);

}  // namespace ddlbench::program
