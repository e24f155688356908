#pragma once

#include <cstdint>

#include "kernels/sizes/layers.h"

/// Max pooling with channels in blocks: a plane is [h, w, block], and a loop over the block works on vector registers.
namespace ddlbench::kernels::cpu {

/// Computes y and argmax from x. `x` and `y` have type `dtype`.
void pool_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* x, void* y, std::uint8_t* argmax);

/// Computes dx from dy and argmax, or adds it if `accumulate`. `dy` and `dx` have type `dtype`, which must be f32 if
/// windows overlap: an element of dx is then summed in several steps, and with 16 bits each step would round.
void spread_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* dy, const std::uint8_t* argmax,
                   void* dx, bool accumulate);

}  // namespace ddlbench::kernels::cpu
