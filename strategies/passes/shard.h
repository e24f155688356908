#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/assign.h"

namespace ddlbench::strategies {

/// A model whose layers are split over the ranks of one axis.
struct Sharding {
  graph::Graph graph;  ///< row-split layers stand as core and epilogue: bias and activation come after the sum
  AxisRule rule;
  std::vector<std::string> choices;  ///< "conv1: output channels", "fc1: rows"
};

/// Megatron-LM's alternation for any chain of layers: a linear layer whose input lies replicated is split
/// by columns (outputs), one whose input is already split along its features by rows (inputs), so that
/// two layers share one all-reduce. Columns go in the portions that the ops behind them ask for in their signatures:
/// whole heads before attention. A linear layer whose columns reach no rows stays whole, and so does one whose weight
/// another op uses too. Convolutions are split by output channels; those in groups by whole groups, of which each rank
/// takes the inputs alone, and with fewer groups than ranks they stay whole. Throws Unsupported where a layer has fewer
/// outputs, or heads, than there are ranks.
Sharding shard_layers(const graph::Graph& forward, const std::string& axis, int ranks);

}  // namespace ddlbench::strategies
