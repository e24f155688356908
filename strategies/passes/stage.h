#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "program/cost_table.h"
#include "strategies/passes/lower.h"

namespace ddlbench::strategies {

/// Cuts `weights` into `stages` consecutive blocks: the heaviest is as light as can be, and among those
/// cuts the squares of the blocks are least. Returns each item's block. Dynamic programming, O(stages·n²).
std::vector<int> balance(const std::vector<double>& weights, int stages);

/// Each forward node's stage, balanced by the time that it and its backward ops take (their FLOPs where
/// `costs` does not know them all). Stages meet between two weights, where the fewest bytes cross. Throws Unsupported
/// where there are more stages than layers with weights.
std::vector<int> assign_stages(const graph::Graph& training, int stages, const program::CostTable& costs);

/// The stage of every step: that of the node which it belongs to.
std::vector<int> stages_of_steps(const ShardedGraph& sharded, const std::vector<int>& stage_of_node);

/// "conv1 pool1 | conv2 … loss"
std::string describe_stages(const graph::Graph& graph, const std::vector<int>& stage_of_node);

}  // namespace ddlbench::strategies
