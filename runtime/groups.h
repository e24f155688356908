#pragma once

#include <map>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "program/plan.h"

namespace ddlbench::runtime {

using Members = std::vector<int>;

/// The member lists of every collective of every rank, each once, in lexicographic order: the order, the
/// same on all ranks, in which groups are made.
std::vector<Members> all_groups(const program::Plan& plan);

/// Adds the member lists of the collectives of one program, as rank `rank` runs it, that `groups` lacks.
void add_groups(const program::Plan& plan, const program::Program& program, int rank, std::vector<Members>& groups);

/// One communicator for each group of a plan that this rank belongs to. Point-to-point messages go over
/// the world, collectives over these.
class Communicators {
 public:
  /// Collective over all ranks of the plan.
  Communicators(const program::Plan& plan, comm::Communicator& world);

  comm::Communicator& world() const { return world_; }
  comm::Communicator& of(const Members& members) const;

 private:
  comm::Communicator& world_;
  std::map<Members, std::unique_ptr<comm::Communicator>> groups_;
};

}  // namespace ddlbench::runtime
