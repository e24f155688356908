#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "program/cost_table.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/stage_costs.h"
#include "strategies/passes/stage_load.h"

namespace ddlbench::strategies {

/// Divides `items` into consecutive blocks, one for each stage, so that the heaviest block is as light as possible and,
/// among such divisions, the sum of the squared loads is least. Returns the block of each item. Dynamic programming,
/// O(stages·items²).
std::vector<int> balance(std::size_t items, int stages, const StageLoad& load);

/// Returns the stage of each forward node. A stage boundary lies between two layers with weights, where the fewest
/// bytes cross. Throws Unsupported where there are more stages than layers with weights.
std::vector<int> assign_stages(const graph::Graph& training, const Division& division, const program::CostTable& costs);

/// Returns the seconds of every stage, where `costs` has those of all ops at unsharded shapes; else equal times. What
/// is recomputed counts to the input half.
StageCosts stage_costs(const graph::Graph& training, const std::vector<int>& stage_of_node, const Division& division,
                       const program::CostTable& costs);

/// Returns the stage of every step: that of its forward node.
std::vector<int> stages_of_steps(const ShardedGraph& sharded, const std::vector<int>& stage_of_node);

/// Returns the nodes by stage: "conv1 pool1 | conv2 … loss".
std::string describe_stages(const graph::Graph& graph, const std::vector<int>& stage_of_node);

}  // namespace ddlbench::strategies
