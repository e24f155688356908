#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/attention_shapes.h"

/// Launches the f32 attention kernels with the largest tiles of kernels/cuda/attention_shapes.h that fit in
/// `shared_bytes`, the shared memory that a block of the GPU may use.
namespace ddlbench::kernels::cuda {

/// Raises the kernels' limit of shared memory per block on the current GPU. Call it once before launches. Returns false
/// if no tiles fit.
bool prepare_attention(AttentionPass pass, const AttentionSizes& sizes, std::size_t shared_bytes);

void launch_attention(cudaStream_t stream, const AttentionSizes& sizes, std::size_t shared_bytes, const float* qkv,
                      float* y, float* logsumexp);
void launch_attention_backward(cudaStream_t stream, const AttentionSizes& sizes, std::size_t shared_bytes,
                               const AttentionGradient& operands);

}  // namespace ddlbench::kernels::cuda
