#pragma once

#include <string>
#include <vector>

#include "strategies/passes/instances.h"

namespace ddlbench::strategies {

struct NamedAction {
  std::string name;
  program::Action action;
};

/// Returns the instructions of one conversion: the collective, and, for a dimension other than 0, the op that makes it
/// dense (a split before a reduce-scatter, a join after an all-gather). Creates the output's instance.
std::vector<NamedAction> conversion(const ShardedGraph& sharded, const Step& step, const RolePosition& position,
                                    int microbatch, Instances& instances);

}  // namespace ddlbench::strategies
