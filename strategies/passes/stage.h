#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "program/cost_table.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/stage_costs.h"

namespace ddlbench::strategies {

/// Divides `weights` into `stages` consecutive blocks so that the heaviest block is as light as possible and, among
/// such divisions, the sum of the squared block weights is least. Returns the block of each item. Dynamic programming,
/// O(stages·n²).
std::vector<int> balance(const std::vector<double>& weights, int stages);

/// Returns the stage of each forward node, balanced by the time of the node and its backward ops, or by their FLOPs
/// where `costs` lacks some of the times. A stage boundary lies between two layers with weights, where the fewest bytes
/// cross. Throws Unsupported where there are more stages than layers with weights.
std::vector<int> assign_stages(const graph::Graph& training, int stages, const program::CostTable& costs);

/// Returns the seconds of every stage, where `costs` has those of all ops at unsharded shapes; else equal times.
StageCosts stage_costs(const graph::Graph& training, const std::vector<int>& stage_of_node,
                       const program::CostTable& costs);

/// Returns the stage of every step: that of its forward node.
std::vector<int> stages_of_steps(const ShardedGraph& sharded, const std::vector<int>& stage_of_node);

/// Returns the nodes by stage: "conv1 pool1 | conv2 … loss".
std::string describe_stages(const graph::Graph& graph, const std::vector<int>& stage_of_node);

}  // namespace ddlbench::strategies
