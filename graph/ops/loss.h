#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// (logits[…, C], labels i32[…]) -> loss[1], correct[1]. The loss is the sum over the labels of
/// −log softmax(logits)[label], times Scalars::inverse_count (one over the *global* count), so that
/// shards, micro-batches and partial batches add up to the mean. `correct` counts the labels whose
/// logit is the largest (the first of equals). A label of −1 is none: it adds nothing.
struct CrossEntropy final : Op {
  std::string_view kind() const override { return "cross_entropy"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (logits[…, C], labels i32[…]) -> dlogits = (softmax(logits) − onehot(label)) * Scalars::inverse_count
/// * Scalars::loss_scale; rows of label −1 are zero.
struct CrossEntropyBackward final : Op {
  std::string_view kind() const override { return "cross_entropy_backward"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
