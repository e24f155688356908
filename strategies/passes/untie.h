#pragma once

#include <map>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/assign.h"
#include "strategies/passes/buckets.h"

namespace ddlbench::strategies {

/// A model whose parameters each belong to one rank of the pipeline.
struct Untied {
  graph::Graph graph;                   ///< forward
  std::map<graph::TensorId, Tie> ties;  ///< of each parameter that is one of several copies
};

/// Gives every rank of the pipeline that uses a tied parameter (an embedding that is also the head) a copy of
/// its own, of the same name and so of the same initial values. Each then makes a gradient; their sum, over
/// the holders, is the gradient of all. The rules' placements hold for the copies, too. Node ids stay.
Untied untie(const graph::Graph& forward, const std::vector<int>& rank_of_node, std::vector<AxisRule>& rules);

}  // namespace ddlbench::strategies
