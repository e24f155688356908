#pragma once

#include <vector>

#include "strategies/passes/lower.h"

namespace ddlbench::strategies {

/// The forward steps of `stage`, in order, whose results its backward steps need, directly or through
/// other such steps: what is run again where only a stage's inputs are kept (Chen et al. 2016; torchgpipe).
std::vector<int> needed_again(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, int stage);

}  // namespace ddlbench::strategies
