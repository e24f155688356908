#pragma once

#include <functional>
#include <vector>

#include "graph/graph.h"

namespace ddlbench::graph {

/// May change a tensor that no node makes.
using ChangeSource = std::function<void(TensorSpec&)>;
/// Adds one node of the old graph, given its inputs in the new one, and returns its outputs there.
using AddNode = std::function<std::vector<TensorId>(Graph&, NodeId, std::vector<TensorId>)>;
/// Adds each node of `from`, which outlives it, as it is.
AddNode same_node(const Graph& from);
/// May add nodes between sources and what reads them: changes which tensor of the new graph stands for one of the old.
using AfterSources = std::function<void(Graph&, std::vector<TensorId>& mapped)>;

/// Builds a graph anew that is not differentiated. Names and roles of outputs are kept, and what a node is in
/// evaluation stands with the last one added for it; so are observations.
Graph rebuild(const Graph& from, const ChangeSource& source, const AddNode& node,
              const AfterSources& after_sources = {});

}  // namespace ddlbench::graph
