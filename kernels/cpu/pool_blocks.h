#pragma once

#include <cstdint>

#include "kernels/sizes.h"

/// Max pooling where channels lie in blocks: a plane is then [h, w, block], and a loop over the block is one over
/// registers.
namespace ddlbench::kernels::cpu {

void pool_blocks(int threads, const PoolSizes& z, const float* x, float* y, std::uint8_t* argmax);

void spread_blocks(int threads, const PoolSizes& z, const float* dy, const std::uint8_t* argmax, float* dx,
                   bool accumulate);

}  // namespace ddlbench::kernels::cpu
