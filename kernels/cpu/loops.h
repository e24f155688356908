#pragma once

#include <cstdint>

#include "kernels/flat_sizes.h"

/// Loops that several ops share.
namespace ddlbench::kernels::cpu {

/// target[i] += source[i].
void add_to(int threads, float* target, const float* source, std::int64_t size);

/// sums[d] (+)= the sum of x over all but dimension d of [outer, d, inner]. The order of summation is
/// that of one thread, whatever their number.
void sum_around(int threads, const AroundDimension& z, const float* x, float* sums, bool accumulate);

}  // namespace ddlbench::kernels::cpu
