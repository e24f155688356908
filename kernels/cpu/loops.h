#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/sizes/flat.h"

/// Loops that several ops share.
namespace ddlbench::kernels::cpu {

/// Calls body with the flag as a compile-time constant: a condition inside a loop can prevent its vectorisation (GELU
/// took ten times as long).
void with_flag(bool flag, const auto& body) {
  if (flag) return body(std::true_type());
  body(std::false_type());
}

/// Adds source[i] to target[i] in f32. A 16-bit target is then rounded.
void add_to(int threads, graph::DType dtype, void* target, const float* source, std::int64_t size);

/// Writes to sums[d] the sum of x[outer, d, inner] over `outer` and `inner`, or adds it if `accumulate`. Both arrays
/// have type `dtype`, and sums are computed in f32. The order of summation is the same for any number of threads.
void sum_around(int threads, const AroundDimension& z, graph::DType dtype, const void* x, void* sums, bool accumulate);

}  // namespace ddlbench::kernels::cpu
