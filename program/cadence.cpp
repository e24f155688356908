#include "program/cadence.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::program {
namespace {

std::int64_t steps_of(const std::vector<Cadence::Turn>& turns) {
  std::int64_t sum = 0;
  for (const Cadence::Turn& turn : turns) sum += turn.steps;
  return sum;
}

int body_at(const std::vector<Cadence::Turn>& turns, std::int64_t step) {
  for (const Cadence::Turn& turn : turns) {
    if (step < turn.steps) return turn.body;
    step -= turn.steps;
  }
  throw ContractError("a cadence has no such step");
}

}  // namespace

int Cadence::body(std::int64_t step) const {
  const std::int64_t after_ramp = step - ramp_steps();
  return after_ramp < 0 ? body_at(ramp, step) : body_at(cycle, after_ramp % cycle_steps());
}

int Cadence::body(std::int64_t step, std::int64_t since_prologue) const {
  const auto at = static_cast<std::size_t>(since_prologue);
  return at < fill.size() ? fill[at] : body(step);
}

const std::vector<int>& Cadence::drain_after(std::int64_t steps) const {
  static const std::vector<int> nothing;
  if (drain.empty() || steps == 0) return nothing;
  return drain[std::min(static_cast<std::size_t>(steps), drain.size()) - 1];
}

std::int64_t Cadence::unsettled_steps() const {
  return std::ssize(fill) + (drain.empty() ? 0 : 1);
}

bool Cadence::repeats(int body) const {
  const auto runs = [body](const Turn& turn) { return turn.body == body; };
  return std::any_of(ramp.begin(), ramp.end(), runs) || std::any_of(cycle.begin(), cycle.end(), runs);
}

std::int64_t Cadence::ramp_steps() const {
  return steps_of(ramp);
}

std::int64_t Cadence::cycle_steps() const {
  return steps_of(cycle);
}

std::vector<std::int64_t> Cadence::steps_of_bodies(std::size_t bodies) const {
  std::vector<std::int64_t> steps(bodies, 0);
  for (const Turn& turn : cycle) steps.at(static_cast<std::size_t>(turn.body)) += turn.steps;
  return steps;
}

}  // namespace ddlbench::program
