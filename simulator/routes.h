#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program/plan.h"

namespace ddlbench::simulator {

/// The communication partners of ranks: distinct groups, and peers. They are resolved when a rank is set up.
class Routes {
 public:
  explicit Routes(const program::Plan& plan) : plan_(plan) {}

  /// Returns, for the instructions of `rank` in order, the group of each collective and the peer of each message (the
  /// sends of an exchange first).
  std::vector<int> targets(int rank, const std::vector<program::Instruction>& instructions);

  const std::vector<int>& members(int group) const { return groups_[static_cast<std::size_t>(group)]; }
  int groups() const { return static_cast<int>(groups_.size()); }

 private:
  using Rule = std::pair<std::string, int>;  ///< axes and coordinates of a group as text, and its mesh
  int group_of(int rank, const program::Group& group);

  const program::Plan& plan_;
  std::vector<std::vector<int>> groups_;
  std::map<std::vector<int>, int> known_;
  std::map<Rule, std::vector<int>> by_rule_;  ///< the group of each rank; its first member looks it up for all of them
};

}  // namespace ddlbench::simulator
