#pragma once

#include "graph/ops/optimizer.h"
#include "program/plan.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/replicate.h"
#include "strategies/passes/schedule.h"
#include "strategies/passes/storage.h"

namespace ddlbench::strategies {

/// How a role's work is ordered and finished.
struct Emission {
  const ShardedGraph& sharded;
  const std::vector<int>& stage_of_step;
  const RolePosition& position;
  const std::vector<Work>& order;               ///< of this stage
  const graph::Optimizer* optimizer = nullptr;  ///< null: evaluation, forward only
  bool recompute = false;
  bool overlap = true;
  BucketSizes buckets;
};

/// Writes a program's body and buffers; returns the state that it keeps. The rules, the same for all
/// schedules: a value that another stage consumes is sent as soon as it is made, once to each stage; a
/// stage receives, at the beginning of a micro-batch's forward, all that earlier forwards made for it, and
/// likewise of backward, in the order of making, so that both ends agree; buckets are reduced when their
/// last gradient is there; updates come last, bucket by bucket.
std::vector<program::StateShard> emit(const Emission& emission, program::Program& program);

}  // namespace ddlbench::strategies
