#pragma once

#include <map>
#include <optional>
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

/// Whether the placement gives each of `ranks` ranks some whole units, and cuts no channel block.
bool divides(const graph::TensorType& type, graph::Placement placement, int ranks);

/// The signature with all its units multiplied by one factor, once for each factor that takes a unit of it to the one
/// in which a tensor lies along that dimension; as it is where there is none. `outputs` may be left out.
std::vector<graph::Signature> in_units_of(const graph::Signature& signature,
                                          const std::vector<graph::Placement>& inputs,
                                          const std::vector<graph::Placement>& outputs = {});

/// The signature of node `node` that costs the fewest bytes on this axis from where its inputs lie now,
/// units filled in; of equals the one with the fewest conversions, then one that divides the work. None where none is
/// legal: parameters are used as they rest, and their gradients and what is observed for statistics made so.
std::optional<graph::Signature> find_signature(const graph::Graph& graph, graph::NodeId node,
                                               const std::vector<graph::Placement>& inputs, const AxisRule& rule);

/// The same. Throws Unsupported where there is none.
graph::Signature choose_signature(const graph::Graph& graph, graph::NodeId node,
                                  const std::vector<graph::Placement>& inputs, const AxisRule& rule);

}  // namespace ddlbench::strategies
