#pragma once

#include "graph/graph.h"

namespace ddlbench::graph {

/// Returns the FLOPs of one node; a multiply-add counts as two.
double flops_of(const Graph& graph, const Node& node);

/// Returns the FLOPs of one forward and one backward pass of a forward graph over its whole batch, without the update:
/// the model's own work, however a strategy repeats parts of it.
double training_flops(const Graph& forward);

}  // namespace ddlbench::graph
