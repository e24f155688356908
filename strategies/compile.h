#pragma once

#include "strategies/spec.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// Compiles `task` under `spec`: shards, stages, unties, lowers and schedules the model, then emits one role for each
/// distinct coordinate. Throws Unsupported where a facet of `spec` is not possible for `task`, or where the model has
/// too few or too narrow layers; InputError where the mesh does not have `task.ranks` ranks.
program::Plan compile(const Task& task, StrategySpec spec);

}  // namespace ddlbench::strategies
