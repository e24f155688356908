#pragma once

#include <map>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/assign.h"
#include "strategies/passes/buckets.h"

namespace ddlbench::strategies {

/// A model in which each parameter belongs to one pipeline rank.
struct Untied {
  graph::Graph graph;                   ///< forward
  std::map<graph::TensorId, Tie> ties;  ///< of each parameter that is one of several copies
};

/// Gives every pipeline rank that uses a tied parameter (an embedding that is also the head) its own copy, with the
/// same name and therefore the same initial values. Each copy gets a gradient; the sum of these over the holders is the
/// gradient of all copies. Copies get the placements of the original in `rules`. Node ids do not change.
/// `rank_of_node`: the pipeline rank of each node.
Untied untie(const graph::Graph& forward, const std::vector<int>& rank_of_node, std::vector<AxisRule>& rules);

}  // namespace ddlbench::strategies
