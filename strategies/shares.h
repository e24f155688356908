#pragma once

#include <cstdint>
#include <vector>

#include "strategies/spec.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// Returns the samples of a micro-batch that each data-parallel rank has (program::Plan::shares): in proportion to the
/// specified speeds, in whole groups of samples that are normalised together. Empty where all ranks have equally many.
/// Throws Unsupported unless there is one speed for each rank, and if a rank would have no samples.
std::vector<std::int64_t> shares_of(const Task& task, const StrategySpec& spec);

/// Returns the least number of equal parts of all samples together such that each share consists of whole parts.
std::int64_t common_parts(const std::vector<std::int64_t>& shares);

}  // namespace ddlbench::strategies
