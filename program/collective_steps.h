#pragma once

#include "collectives/algorithm.h"
#include "program/program.h"

namespace ddlbench::program {

/// The steps of each member of a collective, by the algorithm that the call names. Transports execute the same steps.
/// One object serves all members. A broadcast is from member 0. In an all-to-all every member sends the call's counts.
class CollectiveSteps {
 public:
  /// Throws ContractError if the counts are not one for each member, or if the algorithm does not implement the
  /// collective.
  CollectiveSteps(const CollectiveCall& call, int members);

  /// Emits the steps of member `index`. The n-th steps of all members form a round.
  void emit(int index, const collectives::Emit& emit) const;

 private:
  graph::Collective kind_;
  collectives::EmitSteps steps_;
  collectives::Payload payload_;
};

}  // namespace ddlbench::program
