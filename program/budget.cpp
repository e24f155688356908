#include "program/budget.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::program {

namespace {

constexpr auto named_parts = Budget::parts.size() - 1;  // all except `rest`

using Part = double Budget::*;

Part part_of(const Instruction& instruction) {
  if (is_communication(instruction)) return &Budget::communication;
  switch (instruction.phase) {
    case Phase::forward:
      return &Budget::forward;
    case Phase::backward_input:
    case Phase::backward_weight:
      return &Budget::backward;
    case Phase::recompute:
      return &Budget::recompute;
    case Phase::communication:
      return &Budget::communication;
    case Phase::optimizer:
      return &Budget::optimizer;
  }
  throw ContractError("instruction '" + instruction.name + "' has an unknown phase");
}

/// Time spent in each part, in integer nanoseconds so that the parts sum exactly.
class Ledger {
 public:
  void add(Part part, std::int64_t nanoseconds) {
    std::size_t index = 0;
    while (Budget::parts.at(index).seconds != part) ++index;
    spent_[index] += nanoseconds;
  }

  Budget close(std::int64_t total) {
    for (std::size_t i = 0; i < named_parts; ++i) spent_[named_parts] -= spent_[i];
    spent_[named_parts] += total;
    Budget budget;
    for (std::size_t i = 0; i < spent_.size(); ++i)
      budget.*Budget::parts[i].seconds = static_cast<double>(spent_[i]) * 1e-9;
    return budget;
  }

 private:
  std::array<std::int64_t, Budget::parts.size()> spent_{};
};

}  // namespace

double Budget::total() const {
  double sum = 0;
  for (const auto& part : parts) sum += this->*part.seconds;
  return sum;
}

Budget& Budget::operator+=(const Budget& other) {
  for (const auto& part : parts) this->*part.seconds += other.*part.seconds;
  return *this;
}

Budget Budget::operator*(double factor) const {
  Budget result = *this;
  for (const auto& part : parts) result.*part.seconds *= factor;
  return result;
}

BudgetSplitter::BudgetSplitter(const Plan& plan) : plan_(plan) {
  for (std::size_t body = 0; body < plan.role(0).train.bodies.size(); ++body)
    communications_.push_back(match(plan, static_cast<int>(body)));
}

std::vector<Budget> BudgetSplitter::split(const std::vector<StepTimeline>& timelines) const {
  require(timelines.size() == static_cast<std::size_t>(plan_.ranks()), "a budget needs one timeline for each rank");
  const int body = timelines.front().body;
  const MatchedCommunications& communications = communications_.at(static_cast<std::size_t>(body));
  std::vector<std::int64_t> all_began(communications.members.size(), std::numeric_limits<std::int64_t>::min());
  for (std::size_t rank = 0; rank < timelines.size(); ++rank) {
    for (const Transfer& transfer : timelines[rank].transfers) {
      for (const int communication : communications.of[rank].at(static_cast<std::size_t>(transfer.instruction))) {
        std::int64_t& latest = all_began[static_cast<std::size_t>(communication)];
        latest = std::max(latest, transfer.begin);
      }
    }
  }
  std::vector<Budget> budgets;
  for (std::size_t rank = 0; rank < timelines.size(); ++rank) {
    budgets.push_back(split_rank(static_cast<int>(rank), body, timelines[rank], all_began));
  }
  return budgets;
}

Budget BudgetSplitter::split_rank(int rank, int body, const StepTimeline& timeline,
                                  const std::vector<std::int64_t>& all_began) const {
  const Instructions& instructions = section(plan_.role(rank).train, body_section(body));
  const auto& communications = communications_[static_cast<std::size_t>(body)].of[static_cast<std::size_t>(rank)];
  Ledger ledger;
  std::int64_t last = timeline.begin;
  for (const Span& span : timeline.spans) {
    require(last <= span.begin && span.begin <= span.end && span.end <= timeline.end,
            "a timeline's spans overlap or leave their step");
    last = span.end;
    const std::int64_t length = span.end - span.begin;
    if (span.activity == Activity::input) {
      ledger.add(&Budget::input, length);
      continue;
    }
    const auto instruction = static_cast<std::size_t>(span.instruction);
    if (span.activity == Activity::compute) {
      ledger.add(part_of(instructions.at(instruction)), length);
      continue;
    }
    std::int64_t begun = span.begin;
    for (const int communication : communications.at(instruction)) {
      begun = std::max(begun, all_began[static_cast<std::size_t>(communication)]);
    }
    const std::int64_t bubble = std::min(begun, span.end) - span.begin;
    ledger.add(&Budget::bubble, bubble);
    ledger.add(&Budget::communication, length - bubble);
  }
  return ledger.close(timeline.end - timeline.begin);
}

std::vector<Budget> split(const Plan& plan, const std::vector<StepTimeline>& timelines) {
  return BudgetSplitter(plan).split(timelines);
}

}  // namespace ddlbench::program
