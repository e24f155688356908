#include "simulator/routes.h"

#include <fmt/core.h>

#include "program/actions.h"

namespace ddlbench::simulator {

using namespace program;

namespace {

std::string in_words(const Group& group) {
  std::string text;
  for (std::size_t i = 0; i < group.axes.size(); ++i) {
    text += group.axes[i] + ":";
    if (i < group.only.size()) {
      for (const int coordinate : group.only[i]) text += fmt::format("{},", coordinate);
    }
    text += ";";
  }
  return text;
}

}  // namespace

int Routes::group_of(int rank, const Group& group) {
  std::vector<int>& by_rank = by_rule_[{in_words(group), group.mesh}];
  by_rank.resize(static_cast<std::size_t>(plan_.ranks()), none);
  int& own = by_rank[static_cast<std::size_t>(rank)];
  if (own != none) return own;
  std::vector<int> list = program::members(group, plan_.meshes, rank);
  const auto [entry, is_new] = known_.emplace(list, groups());
  own = entry->second;
  for (const int member : list) by_rank[static_cast<std::size_t>(member)] = entry->second;
  if (is_new) groups_.push_back(std::move(list));
  return own;
}

std::vector<int> Routes::targets(int rank, const std::vector<Instruction>& instructions) {
  std::vector<int> targets;
  const int mesh = plan_.role(rank).mesh;
  for (const Instruction& instruction : instructions) {
    if (const CollectiveCall* call = collective(instruction.action)) targets.push_back(group_of(rank, call->group));
    const Messages list = messages(instruction.action);
    for (const Message* message : list.sends) targets.push_back(resolve(message->peer, plan_.meshes, mesh, rank));
    for (const Message* message : list.receives) targets.push_back(resolve(message->peer, plan_.meshes, mesh, rank));
  }
  return targets;
}

}  // namespace ddlbench::simulator
