#pragma once

#include <functional>
#include <vector>

#include "graph/graph.h"

namespace ddlbench::graph {

/// Changes the specification of a tensor that no node computes.
using ChangeSource = std::function<void(TensorSpec&)>;
/// Adds one node of the old graph to the new graph, with the given inputs there, and returns its outputs there. May add
/// other nodes before it.
using AddNode = std::function<std::vector<TensorId>(Graph&, NodeId, std::vector<TensorId>)>;
/// Returns a function that adds each node of `from` unchanged. `from` must outlive it.
AddNode same_node(const Graph& from);
/// Adds nodes between the tensors that no node computes and their readers. May change `mapped`, which contains for each
/// tensor of the old graph its tensor in the new one.
using AfterSources = std::function<void(Graph&, std::vector<TensorId>& mapped)>;

/// Builds a new graph from `from`, which must not be differentiated (throws ContractError). Outputs keep their names
/// and roles. The substitute of a node for evaluation is attached to the last node that `node` added for it.
/// Observations are kept.
Graph rebuild(const Graph& from, const ChangeSource& source, const AddNode& node,
              const AfterSources& after_sources = {});

}  // namespace ddlbench::graph
