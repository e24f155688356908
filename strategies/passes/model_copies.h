#pragma once

#include "graph/graph.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/stage_map.h"
#include "strategies/passes/untie.h"

namespace ddlbench::strategies {

/// Returns `forward` with `copies` copies of its nodes: first all nodes as they are, then all nodes of copy 1, and so
/// on. Each copy has activations of its own; inputs, parameters and statistics are those of the model, and so are the
/// names of metrics.
graph::Graph with_model_copies(const graph::Graph& forward, int copies);

/// Lets the steps of all copies of the model on one rank read one parameter or statistic, and write one gradient,
/// observation or metric, to which the micro-batches of all copies then add. `twins` are those of Untied.
void join_copies(ShardedGraph& sharded, const StageMap& stages, const Twins& twins);

}  // namespace ddlbench::strategies
