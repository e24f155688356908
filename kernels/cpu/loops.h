#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/sizes/flat.h"

/// Loops that several ops share.
namespace ddlbench::kernels::cpu {

/// Calls body with the flag as a constant: a choice inside a loop can stop its vectorisation (GELU's took ten times as
/// long).
void with_flag(bool flag, const auto& body) {
  if (flag) return body(std::true_type());
  body(std::false_type());
}

/// target[i] += source[i], a target of 16 bits being rounded afterwards.
void add_to(int threads, graph::DType dtype, void* target, const float* source, std::int64_t size);

/// sums[d] (+)= the sum of x over all but dimension d of [outer, d, inner], both of `dtype`, summed in f32. The order
/// of summation is that of one thread, whatever their number.
void sum_around(int threads, const AroundDimension& z, graph::DType dtype, const void* x, void* sums, bool accumulate);

}  // namespace ddlbench::kernels::cpu
