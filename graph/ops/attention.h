#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

struct AttentionOp : Op {
  explicit AttentionOp(std::int64_t d) : head_size(d) {}
  std::int64_t head_size;

  std::string attributes() const override { return attribute_text("head_size", head_size); }
};

/// Causal multi-head attention (Vaswani et al. 2017), with all heads in one tensor:
/// (qkv[B, S, heads·3·D]) -> y[B, S, heads·D], logsumexp f32[B, heads, S], where D is the head size. The features of
/// qkv are [head, 3, D]: query, key and value of a head are contiguous, so that a shard consists of whole heads. The
/// number of heads follows from the local shape. Position i attends to positions 0 to i:
/// y_i = Σ_j softmax_j(q_i·k_j / √D) v_j.
/// The backward pass needs only the log-sum-exp, not the S×S softmax: it recomputes any tile of the softmax from it
/// (Dao et al. 2022, FlashAttention).
struct Attention final : AttentionOp {
  using AttentionOp::AttentionOp;

  std::string_view kind() const override { return "attention"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy, qkv, y, logsumexp) -> dqkv.
struct AttentionBackward final : AttentionOp {
  using AttentionOp::AttentionOp;

  std::string_view kind() const override { return "attention_backward"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
