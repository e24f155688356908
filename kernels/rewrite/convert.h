#pragma once

#include <cstdint>

#include "graph/dtype.h"

/// Arrays in host memory between f32 and the floating-point types of 16 bits, on up to `threads` threads.
namespace ddlbench::kernels {

/// `size` narrow numbers of type `from`, exactly.
void widen(int threads, graph::DType from, const void* narrow, float* wide, std::int64_t size);

/// To narrow numbers of type `to`, rounded to the nearest, ties to even.
void narrow(int threads, graph::DType to, const float* wide, void* narrow, std::int64_t size);

}  // namespace ddlbench::kernels
