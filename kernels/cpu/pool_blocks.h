#pragma once

#include <cstdint>

#include "kernels/sizes/layers.h"

/// Max pooling where channels lie in blocks: a plane is then [h, w, block], and a loop over the block is one over
/// registers.
namespace ddlbench::kernels::cpu {

/// x and y of `dtype`.
void pool_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* x, void* y, std::uint8_t* argmax);

/// dy and dx of `dtype`. Where windows overlap, which sums into dx place by place, that is f32: else each sum would be
/// rounded.
void spread_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* dy, const std::uint8_t* argmax,
                   void* dx, bool accumulate);

}  // namespace ddlbench::kernels::cpu
