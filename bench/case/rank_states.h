#pragma once

#include <cstddef>
#include <vector>

#include "program/plan.h"
#include "program/update_rule.h"
#include "runtime/engine.h"

namespace ddlbench::bench {

/// Values of states, in the order of a list of HeldStates.
using States = std::vector<std::vector<float>>;

States read_states(const runtime::Engine& engine, const std::vector<program::HeldState>& held);

/// The weights and optimizer states of ranks that each have their own, and the auxiliaries of their rule.
class RankStates {
 public:
  /// `auxiliaries`: those of the rule (program::UpdateRule). All ranks begin with `initial`, the values of `held`:
  /// parameters, their masters, and states of the optimizer.
  RankStates(const std::vector<bool>& auxiliaries, int ranks, const std::vector<program::HeldState>& held,
             const States& initial);

  const States& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  void set(int rank, States states) { ranks_[static_cast<std::size_t>(rank)] = std::move(states); }
  void set_all(const States& states);
  bool equal() const;

  /// Returns what the weights of all ranks become by `step`: complete states, by rank. Changes the auxiliaries.
  std::vector<States> mixed(const program::CopiesStep& step);
  void mix(const program::CopiesStep& step) { ranks_ = mixed(step); }
  /// Returns `states` with the weights of `weights`.
  States with_weights(States states, const States& weights) const;

 private:
  enum class Kind : std::uint8_t { weight, rounded_weight, state };

  std::vector<Kind> kinds_;           ///< by state
  std::vector<std::size_t> masters_;  ///< by state: of a rounded weight, the weight it is rounded from
  std::vector<States> ranks_;
  std::vector<States> auxiliaries_;  ///< by auxiliary and state; empty values for what is no weight
};

}  // namespace ddlbench::bench
