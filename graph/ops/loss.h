#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

/// Losses are sums over labels, times Scalars::inverse_count (one over the *global* number of labels), so that the
/// losses of shards, micro-batches and partial batches add up to the mean. Gradients are also multiplied by the loss
/// scale. A label of −1 means no label and adds nothing. Each metric is f32[1].
namespace ddlbench::graph {

/// (scores[…, C], labels i32[…]) -> loss, correct, correct_top5.
struct LabelLoss : Op {
  std::vector<TensorType> infer(Types inputs) const override;
  std::optional<Indices> indices(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (scores[…, C], labels i32[…]) -> the gradient of the scores.
struct LabelLossBackward : Op {
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// Adds label smoothing to the base class of a cross-entropy op.
template <class Base>
struct Smoothed : Base {
  explicit Smoothed(float s = 0) : label_smoothing(s) {}
  float label_smoothing;

  std::string attributes() const override { return attribute_text("label_smoothing", label_smoothing); }
};

/// (logits[…, C], labels i32[…]) -> loss, correct, correct_top5. The loss of a label is (1 − s)(−log p[label]) + s ·
/// mean over c of (−log p[c]), where p = softmax(logits) and s is the smoothing (Szegedy et al. 2016). `correct` counts
/// the labels whose logit is the largest (the first of equal ones); `correct_top5` counts those with fewer than five
/// logits ranked before theirs.
struct CrossEntropy final : Smoothed<LabelLoss> {
  using Smoothed::Smoothed;

  std::string_view kind() const override { return "cross_entropy"; }
  double flops_per_element() const override { return 5; }  ///< maximum, subtraction, exponential, sum, comparison
  void differentiate(Differentiation& d) const override;
};

/// (logits[…, C], labels i32[…]) -> dlogits = (softmax(logits) − target) · inverse_count · loss scale, where target =
/// (1 − s) onehot(label) + s / C. Rows with label −1 are zero.
struct CrossEntropyBackward final : Smoothed<LabelLossBackward> {
  using Smoothed::Smoothed;

  std::string_view kind() const override { return "cross_entropy_backward"; }
  double flops_per_element() const override { return 6; }
};

/// (x[…, H], w[V, H], labels i32[…]) -> loss, correct, correct_top5 and, with `gradients`, those of x and w.
struct LinearCrossEntropyOp : Smoothed<Op> {
  LinearCrossEntropyOp(float s, bool with_gradients) : Smoothed(s), gradients(with_gradients) {}
  bool gradients;

  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::optional<Indices> indices(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// Fused linear cross-entropy: (x[…, H], w[V, H], labels i32[…]) -> loss, correct, correct_top5 of CrossEntropy over
/// logits = x wᵀ. The logits of a few rows at a time are computed in the workspace; all of them are never in memory. A
/// chunk of logits has the type of x and w or a wider one; values computed from it are f32. Chunks of the weight
/// gradient are summed in f32 and rounded once. Differentiation replaces it by LinearCrossEntropyAndGradients: 3
/// products of [tokens × H × V]. Separate ops for the two gradients would each compute the logits again: 5 products
/// with those of the loss. A gradient that nothing needs is computed, too, but the heads of models need both.
struct LinearCrossEntropy final : LinearCrossEntropyOp {
  explicit LinearCrossEntropy(float s = 0) : LinearCrossEntropyOp(s, false) {}

  std::string_view kind() const override { return "linear_cross_entropy"; }
  void differentiate(Differentiation& d) const override;
};

/// (x[…, H], w[V, H], labels i32[…]) -> loss, correct, correct_top5, dx[…, H] = dlogits w, dw[V, H] = dlogitsᵀ x.
/// Computes the logits only once. This is possible because the gradients do not depend on any result after the loss:
/// the number of labels and the loss scale are known before the step. In each chunk, the gradients overwrite the logits
/// and are then used in both products (Hsu et al. 2024, "Liger Kernel: Efficient Triton Kernels for LLM Training"). It
/// runs in the backward pass, before which its input may be recomputed; the loss is not needed earlier. Its phase is
/// backward_input, because earlier layers wait for dx. So dw, which nobody waits for, is ready early in schedules that
/// run the gradients of weights later.
struct LinearCrossEntropyAndGradients final : LinearCrossEntropyOp {
  explicit LinearCrossEntropyAndGradients(float s = 0) : LinearCrossEntropyOp(s, true) {}

  std::string_view kind() const override { return "linear_cross_entropy_and_gradients"; }
  bool can_accumulate_some() const override { return true; }
};

/// (y[N, C], labels i32[N]) -> loss, correct, correct_top5. The loss of a sample is the mean over c of (y[c] −
/// onehot(label)[c])²; the others are as in CrossEntropy.
struct MeanSquaredError final : LabelLoss {
  std::string_view kind() const override { return "mean_squared_error"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 4; }  ///< subtraction, square, sum, comparison
  void differentiate(Differentiation& d) const override;
};

/// (y[N, C], labels i32[N]) -> dy = 2 / C (y − onehot(label)) · inverse_count · loss scale. Rows with label −1 are
/// zero.
struct MeanSquaredErrorBackward final : LabelLossBackward {
  std::string_view kind() const override { return "mean_squared_error_backward"; }
  double flops_per_element() const override { return 2; }
};

}  // namespace ddlbench::graph
