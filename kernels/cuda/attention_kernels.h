#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/attention_shapes.h"

/// Launches of the kernels of attention of f32, with the tiles of kernels/cuda/attention_shapes.h that fit into
/// `shared_bytes`, what a block of the GPU may have.
namespace ddlbench::kernels::cuda {

/// Once before launches, for the current GPU: blocks take more shared memory than they may without asking. False where
/// no tiles fit.
bool prepare_attention(AttentionPass pass, const AttentionSizes& sizes, std::size_t shared_bytes);

void launch_attention(cudaStream_t stream, const AttentionSizes& sizes, std::size_t shared_bytes, const float* qkv,
                      float* y, float* logsumexp);
void launch_attention_backward(cudaStream_t stream, const AttentionSizes& sizes, std::size_t shared_bytes,
                               const AttentionGradient& operands);

}  // namespace ddlbench::kernels::cuda
