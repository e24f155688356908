#pragma once

#include <deque>
#include <vector>

#include "bench/case/rank_states.h"
#include "program/plan.h"
#include "program/update_rule.h"
#include "runtime/engine.h"

namespace ddlbench::bench {

/// The weights of the last steps of a one-rank training, for a rule with delays.
class WeightHistory {
 public:
  /// `held`: parameters and states of the optimizer. The references must outlive the object.
  WeightHistory(const program::UpdateRule& rule, const runtime::Engine& engine,
                const std::vector<program::HeldState>& held);

  const std::vector<program::HeldState>& parameters() const { return parameters_; }
  /// Forgets all steps, as at a prologue.
  void clear() { versions_.clear(); }
  /// Adds the present weights, and returns those with which the rule computes the forward passes of this step.
  States next(float learning_rate);

 private:
  /// Where the rule predicts: `masters` are what it predicts from, the f32 masters or the weights themselves.
  struct Version {
    States weights, masters, momenta;
  };

  const program::UpdateRule& rule_;
  const runtime::Engine& engine_;
  std::vector<program::HeldState> parameters_, masters_, momenta_;  ///< in the same order
  std::vector<std::size_t> delays_;
  std::deque<Version> versions_;  ///< the last one first
};

}  // namespace ddlbench::bench
