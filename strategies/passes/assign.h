#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace ddlbench::strategies {

/// What a strategy decides for one mesh axis; all else follows from the ops' signatures.
struct AxisRule {
  std::string axis;
  int size = 1;
  bool shards_batch = false;  ///< inputs and labels lie S(0), and only dimension 0 of activations may be sharded
  /// How parameters and statistics rest, and are used: neither is gathered for an op. Replicated where not named.
  std::map<graph::TensorId, graph::Placement> parameters;
  std::int64_t batch_unit = 1;  ///< samples that stay together where the batch is cut
};

/// How graph inputs, parameters and statistics lie on this axis before anything runs.
graph::Placement resting_placement(const AxisRule& rule, const graph::Graph& graph, graph::TensorId tensor);

/// What a conversion costs, in bytes that a rank sends (mean over ranks, nccl-tests' factors). A slice sends
/// nothing, but counts as the gather that undoes it, and a reduce-scatter counts with its gather: otherwise a tensor
/// would be cut to save a cheap op, and joined right after. Infinite where no conversion exists.
double conversion_bytes(graph::Placement from, graph::Placement to, double whole_bytes, int ranks);

/// The signature with its units multiplied to those in which the inputs lie now.
graph::Signature in_units_of(graph::Signature signature, const std::vector<graph::Placement>& inputs);

/// The signature of node `node` that costs the fewest bytes on this axis from where its inputs lie now,
/// units filled in; of equals the one with the fewest conversions, then one that divides the work. Throws ContractError
/// where none is legal.
graph::Signature choose_signature(const graph::Graph& graph, graph::NodeId node,
                                  const std::vector<graph::Placement>& inputs, const AxisRule& rule);

}  // namespace ddlbench::strategies
