#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/assign.h"

namespace ddlbench::strategies {

/// A model whose layers are split over the ranks of one axis.
struct Sharding {
  graph::Graph graph;  ///< row-split layers are core and epilogue: bias and activation follow the sum over ranks
  AxisRule rule;
  std::vector<std::string> choices;  ///< "conv1: output channels", "fc1: rows"
};

/// Splits the layers of `forward` over `ranks` ranks, alternating as Megatron-LM does but for any chain of layers. A
/// linear layer with a replicated input is split by columns (outputs); one whose input is already split along its
/// features is split by rows (inputs), so that the two share one all-reduce. Columns are split in the units that the
/// signatures of the following ops require: whole heads before attention. A linear layer whose columns reach no
/// row-split layer stays whole, and so does one whose weight another op uses, too. Convolutions are split by output
/// channels. Grouped convolutions are split by whole groups, and each rank reads only the inputs of its groups; with
/// fewer groups than ranks they stay whole. Throws Unsupported where a layer has fewer outputs, or heads, than there
/// are ranks.
Sharding shard_layers(const graph::Graph& forward, const std::string& axis, int ranks);

}  // namespace ddlbench::strategies
