#pragma once

#include <string>
#include <vector>

#include "strategies/passes/instances.h"

namespace ddlbench::strategies {

struct NamedAction {
  std::string name;
  program::Action action;
};

/// The instructions of one conversion: the collective, and around it what makes an inner dimension dense
/// (split before a reduce-scatter, join after an all-gather). Makes the output's instance.
std::vector<NamedAction> conversion(const ShardedGraph& sharded, const Step& step, const RolePosition& position,
                                    int microbatch, Instances& instances);

}  // namespace ddlbench::strategies
