#pragma once

#include <vector>

#include "graph/graph.h"
#include "program/cost_table.h"
#include "strategies/passes/stage_load.h"

namespace ddlbench::strategies {

/// Divides `items` into consecutive blocks and gives each of them some of `ranks` ranks, a number that divides
/// `microbatches`, so that the heaviest block is as light as possible; among such divisions, there are as few blocks as
/// possible. `load` has ranks − 1 in place of a stage. Returns the ranks of each block; nothing where there are too few
/// items. The planner of PipeDream (Harlap et al. 2018) on one level of the network: dynamic programming,
/// O(ranks·divisors·items²).
std::vector<int> divide_ranks(std::size_t items, int ranks, int microbatches, const StageLoad& load);

/// Returns how many of `ranks` each stage has, and thereby how many stages there are, so that the load of
/// stage_load() is least. `division` has no stages yet. Throws Unsupported where the model has too few layers.
std::vector<int> plan_stage_ranks(const graph::Graph& training, Division division, int ranks,
                                  const program::CostTable& costs);

}  // namespace ddlbench::strategies
