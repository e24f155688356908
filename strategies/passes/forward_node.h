#pragma once

#include "graph/graph.h"

namespace ddlbench::strategies {

/// Returns the node of the model to which a node of a training graph belongs: itself, or the one that it
/// differentiates.
inline graph::NodeId forward_node_of(const graph::Graph& training, graph::NodeId id) {
  const graph::NodeId origin = training.nodes[static_cast<std::size_t>(id)].origin;
  return origin == graph::absent ? id : origin;
}

}  // namespace ddlbench::strategies
