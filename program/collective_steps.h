#pragma once

#include "collectives/algorithm.h"
#include "program/program.h"

namespace ddlbench::program {

/// What the members of a collective do, step by step, by the algorithm that its call names: what transports execute.
/// Made once for all members. A broadcast is from member 0, in an all-to-all every member sends the call's counts.
class CollectiveSteps {
 public:
  /// Throws ContractError where the counts are not one for each member, or the algorithm does not make the collective.
  CollectiveSteps(const CollectiveCall& call, int members);

  /// Steps of member `index`. The n-th ones of all members are a round.
  void emit(int index, const collectives::Emit& emit) const;

 private:
  graph::Collective kind_;
  collectives::EmitSteps steps_;
  collectives::Payload payload_;
};

}  // namespace ddlbench::program
