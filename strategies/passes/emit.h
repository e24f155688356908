#pragma once

#include <map>
#include <vector>

#include "graph/ops/optimizer.h"
#include "program/plan.h"
#include "strategies/passes/carried.h"
#include "strategies/passes/cycles.h"
#include "strategies/passes/layout.h"
#include "strategies/passes/partition.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/slice_order.h"
#include "strategies/passes/timetable.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// The input of `emit`, for one role.
struct Emission {
  const ShardedGraph& sharded;
  const StageMap& stages;
  const Timetable& timetable;
  const RolePosition& position;
  const FlatLayout& layout;
  const Shards& shards;
  const graph::Optimizer* optimizer = nullptr;  ///< null: evaluation, forward only
  /// The rest is for training only.
  const BucketChain* chain = nullptr;
  Recomputation recomputation = {};
  bool overlap = true;
  const Cycles* cycles = nullptr;      ///< in which gradients become ready, or null
  const SliceOrder* slices = nullptr;  ///< in which gradients are summed by priority, or null
  bool own_weights = false;            ///< also for evaluation, which then begins with the mean of the ranks' weights
  const Carried* carried = nullptr;    ///< what later steps read, in a pipeline without flush
};

/// The members of Role that come with a training program.
struct EmittedState {
  std::vector<program::StateShard> state;
  std::map<program::BufferId, std::vector<program::Segment>> shards;
};

/// Writes a program's body and buffers, by the same rules for all schedules. Work runs in the timetable's order. Before
/// each piece of work come the messages that are due, those of one time as one exchange. Sharded parameters are
/// gathered ahead of their use. A bucket is reduced when its last gradient is ready. Updates come last, bucket by
/// bucket; where gradients are not kept, hoist_updates moves them forward. With `slices`, sums and updates may
/// happen in the next step, and a program of steps that follow others gets an epilogue, which completes the last one.
EmittedState emit(const Emission& emission, program::Program& program);

/// Returns what a step without flush leaves to later ones: `emission` has the timetable of a step with batches of all
/// ages.
Carried find_carried(const Emission& emission);

}  // namespace ddlbench::strategies
