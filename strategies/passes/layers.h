#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/forward_node.h"

namespace ddlbench::strategies {

/// The layers of a model, between which stages can begin: parts of the forward nodes with one weight each.
struct Layers {
  std::vector<std::size_t> of_node;         ///< by forward node
  std::vector<std::size_t> entering_bytes;  ///< by layer: of tensors that come from earlier layers

  std::size_t count() const { return of_node.back() + 1; }
  /// Returns the layer of a node of the training graph.
  std::size_t of(const graph::Graph& training, std::size_t node) const {
    return of_node[static_cast<std::size_t>(forward_node_of(training, static_cast<graph::NodeId>(node)))];
  }
};

/// The boundary between two layers lies between their weights, where the fewest bytes cross: a pooling stays with the
/// convolution before it, and a norm after a residual sum goes with the layer that reads it.
Layers layers_of(const graph::Graph& training);

}  // namespace ddlbench::strategies
