#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "strategies/passes/assign.h"

namespace ddlbench::strategies {

using ValueId = int;
using Layout = std::vector<graph::Placement>;  ///< one per axis rule

/// A tensor of the graph in one layout.
struct Value {
  graph::TensorId tensor = graph::absent;
  Layout layout;
  int producer = graph::absent;  ///< step; `absent`: input, parameter or statistic
  std::vector<int> consumers;    ///< steps, in order
};

/// An op on local shards, or one conversion along one axis.
struct Step {
  enum class Kind : unsigned char { op, all_reduce, reduce_scatter, all_gather, slice };
  Kind kind = Kind::op;
  std::string name;
  graph::NodeId node = graph::absent;  ///< the op; for a conversion, the node for which it was inserted
  graph::Phase phase = graph::Phase::forward;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  int axis = 0;  ///< of a conversion
};

/// A graph in which every tensor's placement is decided and every conversion is a step. One description serves all
/// ranks: local sizes follow from coordinates.
struct ShardedGraph {
  graph::Graph graph;
  std::vector<AxisRule> rules;
  std::vector<Value> values;
  std::vector<Step> steps;
  std::vector<ValueId> gradient_of;   ///< by tensor: the final gradient of a parameter, else `absent`
  std::vector<ValueId> first_values;  ///< by tensor

  /// Returns whether `value` is a tensor of role `role` that no step produces.
  bool is_source(ValueId value, graph::Role role) const;
  /// Returns the value of a tensor that no step produces, in its stored layout. Throws ContractError where there is
  /// none.
  ValueId source_of(graph::TensorId tensor) const;
  /// Returns the value of `tensor` as its node produces it, before any conversion. Throws ContractError where there is
  /// none.
  ValueId first_value(graph::TensorId tensor) const;
  /// Returns the axes over which `value` is still a partial sum. Throws ContractError for a partial maximum.
  std::vector<std::string> partial_axes(ValueId value) const;
  /// Returns part `index` of a dimension of `size` elements that the ranks along the axis of rule `axis` split. These
  /// ranks have the given coordinates on the axes of earlier rules.
  graph::Extent part(std::int64_t size, std::int64_t unit, std::size_t axis, int index,
                     const std::vector<int>& coordinates) const;
  /// Returns a rank's part of `value`, one extent per dimension. `coordinates`: the rank's coordinate on each rule's
  /// axis.
  std::vector<graph::Extent> box(ValueId value, const std::vector<int>& coordinates) const;
  graph::TensorType local_type(ValueId value, const std::vector<int>& coordinates) const;
};

/// Returns `graph` with placements: walks it once and inserts the conversions that each op needs. Gradients of
/// replicated parameters stay partial: they are reduced once per step, in flat buckets. Metrics stay partial, too: the
/// host adds them up. `stage_of_node`: of each forward node; empty: there is one stage. Throws Unsupported where an op
/// has no legal signature.
ShardedGraph lower(graph::Graph graph, std::vector<AxisRule> rules, const std::vector<int>& stage_of_node = {});

}  // namespace ddlbench::strategies
