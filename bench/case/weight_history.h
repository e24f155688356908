#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "bench/case/rank_states.h"
#include "program/delayed_rate.h"
#include "program/plan.h"
#include "program/update_rule.h"
#include "runtime/engine.h"

namespace ddlbench::bench {

/// The weights of the last steps of a one-rank training, for a rule with delays.
class WeightHistory {
 public:
  /// `held`: parameters and states of the optimizer. The references must outlive the object.
  WeightHistory(const program::UpdateRule& rule, runtime::Engine& engine, const std::vector<program::HeldState>& held);

  /// Returns the copies of all parameters that it holds at a time.
  static std::int64_t copies(const program::UpdateRule& rule);

  /// Forgets all steps, as before the first one.
  void clear();
  /// Forgets the weights of all steps, as at a prologue.
  void forget_versions() { versions_.clear(); }

  // Of each step, in this order:
  /// Sets the weights with which the rule computes the forward passes.
  void begin_forward(std::int64_t step, float learning_rate);
  /// Sets those of the backward passes.
  void begin_backward();
  /// Sets the newest weights.
  void begin_update();
  /// Makes the change of the weights what the rule says.
  void end_update(std::int64_t step);

 private:
  /// Where the rule predicts: `masters` are the f32 masters, or the weights themselves.
  struct Version {
    States weights, masters, momenta;
  };

  /// Returns whether the rule changes what the optimizer makes of the weights, or follows it.
  bool follows_updates() const { return rule_.corrects || rule_.rate_steps > 0; }

  void write(const std::vector<program::HeldState>& held, const States& states);

  const program::UpdateRule& rule_;
  runtime::Engine& engine_;
  /// In the same order; momenta where the rule predicts.
  std::vector<program::HeldState> parameters_, masters_, momenta_;
  std::vector<program::DelayedRate> rates_;
  States newest_masters_, mean_changes_;  ///< where it follows updates; where it corrects
  std::deque<Version> versions_;          ///< the last one first
};

}  // namespace ddlbench::bench
