#pragma once

#include <map>
#include <vector>

#include "graph/ops/optimizer.h"
#include "program/plan.h"
#include "strategies/passes/layout.h"
#include "strategies/passes/partition.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/timetable.h"

namespace ddlbench::strategies {

/// How a role's work is ordered and finished.
struct Emission {
  const ShardedGraph& sharded;
  const StageMap& stages;
  const Timetable& timetable;
  const RolePosition& position;
  const FlatLayout& layout;
  const Shards& shards;
  const graph::Optimizer* optimizer = nullptr;  ///< null: evaluation, forward only
  Recomputation recomputation = {};             ///< of training
  bool overlap = true;
};

/// What of Role a training program brings with it.
struct EmittedState {
  std::vector<program::StateShard> state;
  std::map<program::BufferId, std::vector<program::Segment>> shards;
};

/// Writes a program's body and buffers. The rules, the same for all schedules: work in the timetable's order;
/// before each piece of work the messages whose time has come, those of one time as one exchange; sharded
/// parameters are gathered ahead of their use; buckets are reduced when their last gradient is there; updates
/// come last, bucket by bucket, or where gradients are not kept as hoist_updates places them.
EmittedState emit(const Emission& emission, program::Program& program);

}  // namespace ddlbench::strategies
