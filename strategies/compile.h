#pragma once

#include "strategies/passes/replicate.h"
#include "strategies/passes/schedule.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// A strategy in the terms of the passes: degrees of the mesh axes and what runs when. Every strategy that
/// there is so far is one; a hybrid is a recipe with more than one degree above 1.
struct Recipe {
  int data = 1;
  int tensor = 1;
  int pipeline = 1;
  int microbatches = 1;
  Schedule schedule = accumulate_schedule;
  bool recompute = false;  ///< forward again before backward, all micro-batches but the last
  bool overlap = true;     ///< reduce a bucket as soon as its last gradient is there
  BucketSizes buckets;
};

/// Runs the passes: shard, lower, stage, then emit a role for every distinct coordinate. Mesh axes are
/// pipeline, data, tensor, the last fastest, those of size 1 left out. Throws Unsupported where the batch
/// does not divide, layers are too few or too narrow.
program::Plan compile(const Task& task, const Recipe& recipe);

}  // namespace ddlbench::strategies
