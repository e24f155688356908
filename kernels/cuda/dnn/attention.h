#pragma once

#include "kernels/cuda/dnn/graph.h"
#include "kernels/sizes/transformer.h"

/// Causal attention of bf16 or f16 in one pass over tiles (cuDNN has none of f32), on the tensors of
/// graph/ops/attention.h.
///
/// The graphs are written out as products, a softmax and a mask of indices, which cuDNN knows again. It has operations
/// for the whole (CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR and …_BWD_DESCRIPTOR), but in 9.19 none of their
/// attributes hides later keys: forward's mask is of whole blocks, backward has lengths of sequences alone.
namespace ddlbench::kernels::cuda::dnn {

/// The tensors' ids. Query, key and value are parts of qkv; the scale, what hidden scores become (−∞) and 1 are
/// scalars in host memory; `sums`, f32[batch, heads, positions], is scratch.
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

/// y and statistics. Throws Refusal.
Graph graph_of_attention(const AttentionSizes& sizes, graph::DType dtype);
/// The gradients, in the form whose result is the same in each run: no sum is gathered from many blocks at once.
Graph graph_of_attention_backward(const AttentionSizes& sizes, graph::DType dtype);

}  // namespace ddlbench::kernels::cuda::dnn
