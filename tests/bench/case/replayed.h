#pragma once

#include <functional>
#include <sstream>
#include <string>

#include "all_strategies.h"
#include "bench/case/replay.h"
#include "catch.h"
#include "unchecked_run.h"

namespace ddlbench::test {

using namespace bench;

/// Steps that a certificate compares.
inline constexpr std::int64_t replayed_steps = 4;

/// A case, and how its programs differ from what its rule says.
struct Replayed {
  SmallCase small;
  std::function<void(program::Plan&)> mutate = [](program::Plan&) {};
  std::function<void(program::UpdateRule&)> change_rule = [](program::UpdateRule&) {};
};

/// Returns the certificate of the case against its own rule. The plan is not checked.
inline runtime::Certificate certificate_of(const Replayed& replayed) {
  const SmallCase& small = replayed.small;
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  RecordedProgress heard;
  std::ostringstream log;
  Heartbeat heartbeat(heard, 2 * replayed_steps, log);
  program::Plan plan = compile(setup, small.which.strategy.choice, small.which.ranks);
  REQUIRE(plan.promise.rule != nullptr);
  program::UpdateRule rule = *plan.promise.rule;
  replayed.change_rule(rule);
  const Reference reference = run_replay(setup, rule, plan.microbatches, {0, replayed_steps}, heartbeat);
  CHECK(reference.missing == "");
  replayed.mutate(plan);
  return unchecked_certificate(setup, plan, training_order(setup, replayed_steps), replayed_steps, reference);
}

inline bool is_named(const program::Instruction& instruction, const std::string& begin) {
  return instruction.name.starts_with(begin);
}

/// Removes the instructions of all bodies whose names begin with `name`; there must be some.
inline std::function<void(program::Plan&)> without_any(const std::string& name) {
  return [name](program::Plan& plan) {
    std::size_t removed = 0;
    for (program::Role& role : plan.roles)
      for (program::Instructions& body : role.train.bodies)
        removed += std::erase_if(body, [&](const program::Instruction& one) { return is_named(one, name); });
    REQUIRE(removed > 0);
  };
}

}  // namespace ddlbench::test
