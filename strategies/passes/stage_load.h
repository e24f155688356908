#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "program/cost_table.h"
#include "strategies/passes/balance.h"
#include "strategies/passes/layers.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/stage_use.h"

namespace ddlbench::strategies {

/// What a division of a model into stages depends on.
struct Division {
  int stages = 1;
  Balance balance = Balance::time;
  Recomputation recomputation = {};
  std::vector<StageUse> uses = {};          ///< by stage; empty: nothing is recomputed, and one micro-batch held
  double link_bytes_per_second = 0;         ///< for time_and_communication
  std::vector<bool> follows_own_rank = {};  ///< by stage, whether the stage before it is on the same rank; empty: none
  int tensor_ranks = 1;                     ///< that divide the ops of a stage, but not its messages
  /// For memory: by stage, the bytes that a rank keeps for each byte of its parameters: versions, gradients, states.
  std::vector<double> parameter_copies = {};
  int data_ranks = 1;                     ///< that divide a micro-batch
  std::vector<int> ranks_per_stage = {};  ///< Pipeline::ranks_per_stage; empty: one each
  int microbatches = 1;                   ///< of a step
};

/// The load of a stage that has the layers from `begin` to before `end`.
using StageLoad = std::function<double(int stage, std::size_t begin, std::size_t end)>;

/// Returns the seconds of a node at unsharded shapes, where `costs` has them: the time to write its results or, if that
/// is not known, to accumulate them. The last term of a tied weight's gradient is only ever accumulated.
std::optional<double> seconds_of(const graph::Graph& graph, const graph::Node& node, const program::CostTable& costs);

/// Returns the share of the passes of a stage in which it recomputes what it dropped.
double repeated_share(const Division& division, int stage);

/// Returns whether `costs` has the times that the balance needs; without them, times follow from FLOPs.
bool has_times(const graph::Graph& training, const program::CostTable& costs);

/// Returns the load of stages; the arguments must outlive it. In time and FLOPs, it is that of a micro-batch, divided
/// by the ranks of the stage; the forward ops that a stage drops count again, with its share of repeated passes.
/// Communication includes the all-reduce of gradients over the ranks of a stage. Memory is the sum of the parameters'
/// copies and of the activations of as many micro-batches as the schedule holds there: of what ops of the backward pass
/// read, and is not dropped; with recomputation "full", of what enters the stage, and the whole activations once.
StageLoad stage_load(const graph::Graph& training, const Layers& layers, const Division& division,
                     const program::CostTable& costs);

}  // namespace ddlbench::strategies
