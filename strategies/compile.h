#pragma once

#include "strategies/passes/partition.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/schedule.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// A strategy in the terms of the passes: degrees of the mesh axes and what runs when. Every strategy that
/// there is so far is one; a hybrid is a recipe with more than one degree above 1.
struct Recipe {
  int data = 1;
  int tensor = 1;
  int pipeline = 1;
  int chunks = 1;  ///< of the model on each rank of the pipeline
  int microbatches = 1;
  Schedule schedule = accumulate_schedule;
  graph::Halves halves = graph::Halves::together;  ///< apart in any case where the schedule puts them so
  Recomputation recomputation;
  bool overlap = true;  ///< reduce a bucket as soon as its last gradient is there
  BucketSizes buckets;
  Partition partition;  ///< over the data axis
};

/// Runs the passes: shard, stage, untie, lower, time, then emit a role for every distinct coordinate. Mesh axes are
/// pipeline, data, tensor, the last fastest, those of size 1 left out. Throws Unsupported where the batch
/// does not divide, layers are too few or too narrow.
program::Plan compile(const Task& task, const Recipe& recipe);

}  // namespace ddlbench::strategies
