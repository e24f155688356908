#pragma once

#include <cstdint>
#include <vector>

#include "bench/statistics/interval.h"

namespace ddlbench::bench {

inline constexpr std::uint64_t seed_resampling = 1;  ///< seed of the bootstrap

/// Returns the estimate over the seeds of a value for each seed, with its 95 % interval (location()). Times and ratios
/// are estimated by their logarithms.
Interval estimate_over_seeds(const std::vector<double>& values);

/// Returns the interval of the numbers whose logarithms have this one.
Interval exponential(const Interval& of);

}  // namespace ddlbench::bench
