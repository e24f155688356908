#pragma once

#include <map>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/assign.h"
#include "strategies/passes/buckets.h"
#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Parameters and statistics that lie in the memory of another one, which another copy of the model has on the same
/// rank.
using Twins = std::map<graph::TensorId, graph::TensorId>;

/// A model in which each parameter and each statistic belongs to one pipeline rank and one copy of the model.
struct Untied {
  graph::Graph graph;                   ///< forward
  std::map<graph::TensorId, Tie> ties;  ///< of each that several ranks hold
  Twins twins;
};

/// Gives every pipeline rank that uses a tied parameter (an embedding that is also the head) its own copy, with the
/// same name and therefore the same initial values. Each copy gets a gradient; the sum of these over the holders is the
/// gradient of all copies. The same holds for a statistic that several copies of the model observe, and its
/// observations. Copies get the placements of the original in `rules`. Node ids do not change.
/// `stage_of_node`: the stage of each node in `pipeline`.
Untied untie(const graph::Graph& forward, const std::vector<int>& stage_of_node, const Pipeline& pipeline,
             std::vector<AxisRule>& rules);

}  // namespace ddlbench::strategies
