#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program/plan.h"

namespace ddlbench::simulator {

/// With whom ranks communicate: groups, each once, and peers, resolved when a rank is set up.
class Routes {
 public:
  explicit Routes(const program::Plan& plan) : plan_(plan) {}

  /// Of a list of instructions as `rank` runs it, in their order: the group of a collective, and the peer of
  /// every message (the sends of an exchange first).
  std::vector<int> targets(int rank, const std::vector<program::Instruction>& instructions);

  const std::vector<int>& members(int group) const { return groups_[static_cast<std::size_t>(group)]; }
  int groups() const { return static_cast<int>(groups_.size()); }

 private:
  using Rule = std::pair<std::string, int>;  ///< a group's axes and coordinates in words, and its mesh
  int group_of(int rank, const program::Group& group);

  const program::Plan& plan_;
  std::vector<std::vector<int>> groups_;
  std::map<std::vector<int>, int> known_;
  std::map<Rule, std::vector<int>> by_rule_;  ///< group by rank: its members look it up once for all
};

}  // namespace ddlbench::simulator
