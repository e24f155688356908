#pragma once

#include "kernels/cuda/dnn/graph.h"
#include "kernels/sizes/transformer.h"

/// Causal attention in bf16 or f16, in one pass over tiles, on the tensors of graph/ops/attention.h. cuDNN does not
/// support f32.
///
/// The graphs consist of products, a softmax and a mask of indices, a pattern that cuDNN recognises. cuDNN also has
/// operations for whole attention (CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR and …_BWD_DESCRIPTOR), but in version
/// 9.19 none of their attributes hides later keys: forward only has masks of whole blocks, and backward only has
/// sequence lengths.
namespace ddlbench::kernels::cuda::dnn {

/// Ids of the tensors. Query, key and value are parts of qkv. The scale, the score of hidden keys (the lowest f32) and
/// 1 are scalars in host memory. id_sums, f32[batch, heads, positions], is scratch memory.
enum AttentionId : std::int64_t {
  id_query = 1,
  id_key,
  id_value,
  id_result,
  id_statistics,
  id_scale,
  id_hidden,
  id_one,
  id_dy,
  id_query_gradient,
  id_key_gradient,
  id_value_gradient,
  id_sums
};

/// Returns a graph that computes y and statistics. Throws DnnError.
Graph graph_of_attention(const AttentionSizes& sizes, graph::DType dtype);
/// Returns a graph that computes the gradients, in the deterministic form: blocks do not add to the same sum
/// concurrently. Throws DnnError.
Graph graph_of_attention_backward(const AttentionSizes& sizes, graph::DType dtype);

}  // namespace ddlbench::kernels::cuda::dnn
