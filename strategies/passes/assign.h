#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace ddlbench::strategies {

/// The decisions of a strategy for one mesh axis. Everything else follows from the ops' signatures.
struct AxisRule {
  std::string axis;
  int size = 1;
  bool shards_batch = false;  ///< inputs and labels are S(0), and activations may be sharded along dimension 0 only
  /// Placements of parameters and statistics, in storage and in use: neither is gathered for an op. Replicated where
  /// not named.
  std::map<graph::TensorId, graph::Placement> parameters;
  std::int64_t batch_unit = 1;  ///< samples that must stay on one rank where the batch is split
  /// Where the batch is split unevenly, the samples that each rank of the axis has of a micro-batch: for each
  /// coordinate of the axes of earlier rules that split the batch, the last one fastest. Empty: equal parts.
  std::vector<std::int64_t> shares = {};
};

/// Returns the placement of a graph input, parameter or statistic on this axis before anything runs.
graph::Placement stored_placement(const AxisRule& rule, const graph::Graph& graph, graph::TensorId tensor);

/// Returns the cost of a conversion in bytes that a rank sends (mean over ranks, with nccl-tests' factors). A slice
/// sends nothing, but counts as the gather that undoes it, and a reduce-scatter counts with its gather: otherwise a
/// tensor would be split to save a cheap op, and gathered right after. Infinite where no conversion exists.
double conversion_bytes(graph::Placement from, graph::Placement to, double whole_bytes, int ranks);

/// Returns whether `placement` gives each of `ranks` ranks at least one unit, whole units only, and splits no channel
/// block.
bool divides(const graph::TensorType& type, graph::Placement placement, int ranks);

/// Returns `signature` with all its units multiplied by a factor: once for each factor that turns a unit of the
/// signature into the unit of the tensor's placement along the same dimension. Returns `signature` unchanged where
/// there is no such factor. `inputs` and `outputs` are the tensors' placements; `outputs` may be empty.
std::vector<graph::Signature> in_units_of(const graph::Signature& signature,
                                          const std::vector<graph::Placement>& inputs,
                                          const std::vector<graph::Placement>& outputs = {});

/// Returns the signature of `node`, units filled in, that costs the fewest bytes on this axis, given the current
/// placements of its `inputs`. Ties go to the one with the fewest conversions, then to one that divides the work. Empty
/// where none is legal: parameters must be used in their stored placement, and their gradients and the observations for
/// statistics must be produced in it.
std::optional<graph::Signature> find_signature(const graph::Graph& graph, graph::NodeId node,
                                               const std::vector<graph::Placement>& inputs, const AxisRule& rule);

/// Same as find_signature, but throws Unsupported where there is none.
graph::Signature choose_signature(const graph::Graph& graph, graph::NodeId node,
                                  const std::vector<graph::Placement>& inputs, const AxisRule& rule);

}  // namespace ddlbench::strategies
