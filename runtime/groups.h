#pragma once

#include <map>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "program/plan.h"

namespace ddlbench::runtime {

using Members = std::vector<int>;

/// One communicator for each group of a plan that this rank belongs to. Collectives use these; point-to-point messages
/// use the world group.
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
