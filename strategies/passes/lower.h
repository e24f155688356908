#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/assign.h"

namespace ddlbench::strategies {

using ValueId = int;
using Layout = std::vector<graph::Placement>;  ///< one per axis rule

/// A tensor of the graph as it lies at one point of the program.
struct Value {
  graph::TensorId tensor = graph::absent;
  Layout layout;
  int producer = graph::absent;  ///< step; `absent`: input or parameter
  std::vector<int> consumers;    ///< steps, in order
};

/// An op on local shards, or one conversion along one axis.
struct Step {
  enum class Kind : unsigned char { op, all_reduce, reduce_scatter, all_gather, slice };
  Kind kind = Kind::op;
  std::string name;
  graph::NodeId node = graph::absent;  ///< the op; of a conversion: the node that it was inserted for
  graph::Phase phase = graph::Phase::forward;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  int axis = 0;  ///< of a conversion
};

/// A graph in which every tensor's placement is decided and every conversion stands as a step. One
/// description for all ranks: local sizes follow from coordinates.
struct ShardedGraph {
  graph::Graph graph;
  std::vector<AxisRule> rules;
  std::vector<Value> values;
  std::vector<Step> steps;
  std::vector<ValueId> gradient_of;  ///< per tensor: the final gradient of a parameter, else `absent`

  /// Whether the value is a tensor of this role that no step makes.
  bool is_source(ValueId value, graph::Role role) const;
  /// A tensor that no step makes, as it rests; throws ContractError where there is none.
  ValueId source_of(graph::TensorId tensor) const;
  /// A tensor as the step of its node makes it, before any conversion.
  ValueId made_first(graph::TensorId tensor) const;
  /// The axes over which a value is still a partial sum.
  std::vector<std::string> partial_axes(ValueId value) const;
  /// This rank's part of a value: one extent per dimension, given its coordinate on each rule's axis.
  std::vector<graph::Extent> box(ValueId value, const std::vector<int>& coordinates) const;
  graph::TensorType local_type(ValueId value, const std::vector<int>& coordinates) const;
};

/// Walks the graph once and inserts the one conversion that each op needs. Gradients of parameters stay
/// partial where the parameter is replicated: their reduction comes once per step, over flat buckets.
/// Metrics stay partial too: the host adds them up.
ShardedGraph lower(graph::Graph graph, std::vector<AxisRule> rules);

}  // namespace ddlbench::strategies
