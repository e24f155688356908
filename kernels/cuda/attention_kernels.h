#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/attention_backward.h"

/// Launches of the kernels of attention of f32.
namespace ddlbench::kernels::cuda {

constexpr std::int64_t largest_head_size = 256;

/// Once before launches of either, for the current GPU: blocks take more shared memory than they may without asking.
void prepare_attention(const AttentionSizes& sizes);

void launch_attention(cudaStream_t stream, const AttentionSizes& sizes, const float* qkv, float* y, float* logsumexp);
void launch_attention_backward(cudaStream_t stream, const AttentionSizes& sizes, const AttentionGradient& operands);

}  // namespace ddlbench::kernels::cuda
