#pragma once

#include "strategies/spec.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// Runs the passes: shard, stage, untie, lower, time, then emit a role for every distinct coordinate. Throws
/// Unsupported where a facet of the specification is not possible for the task, or layers are too few or too narrow;
/// InputError where its mesh has not the task's ranks.
program::Plan compile(const Task& task, const StrategySpec& spec);

}  // namespace ddlbench::strategies
