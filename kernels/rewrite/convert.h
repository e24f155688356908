#pragma once

#include <cstdint>

#include "graph/dtype.h"

/// Conversions of arrays in host memory between f32 and the 16-bit floating-point types, on up to `threads` threads.
namespace ddlbench::kernels {

/// Converts `size` numbers of type `from` to f32, exactly.
void widen(int threads, graph::DType from, const void* narrow, float* wide, std::int64_t size);

/// Converts `size` numbers to type `to`, rounded to nearest, ties to even.
void narrow(int threads, graph::DType to, const float* wide, void* narrow, std::int64_t size);

}  // namespace ddlbench::kernels
