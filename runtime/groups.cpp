#include "runtime/groups.h"

#include <algorithm>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// Adds to `groups` the member lists of the collectives of a program, as `rank` runs it, that are not in it yet.
void add_groups(const Plan& plan, const Program& program, int rank, std::vector<Members>& groups) {
  for (const auto* part : sections(program)) {
    for (const Instruction& instruction : *part) {
      const CollectiveCall* call = collective(instruction.action);
      if (call == nullptr) continue;
      Members list = members(call->group, plan.meshes, rank);
      if (std::find(groups.begin(), groups.end(), list) == groups.end()) groups.push_back(std::move(list));
    }
  }
}

/// Returns the member lists of all collectives of all ranks without duplicates, in lexicographic order. All ranks
/// create groups in this order.
std::vector<Members> all_groups(const Plan& plan) {
  std::vector<Members> all;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    std::vector<Members> own;
    add_groups(plan, plan.role(rank).train, rank, own);
    add_groups(plan, plan.role(rank).evaluate, rank, own);
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Communicators::Communicators(const Plan& plan, comm::Communicator& world) : world_(world) {
  for (const Members& group : all_groups(plan)) {
    if (std::find(group.begin(), group.end(), world.rank()) != group.end()) groups_[group] = world.split(group);
  }
}

comm::Communicator& Communicators::of(const Members& members) const {
  const auto found = groups_.find(members);
  require(found != groups_.end(), "a collective's group does not contain the rank that runs it");
  return *found->second;
}

}  // namespace ddlbench::runtime
