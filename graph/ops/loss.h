#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

/// Losses are sums over what counts, times Scalars::inverse_count (one over the *global* count), so that shards,
/// micro-batches and partial batches add up to the mean; their gradients also times the loss scale. A label of −1
/// is none: it adds nothing. Metrics are f32[1] each.
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

/// Of cross-entropy with labels that are smoothed.
template <class Base>
struct Smoothed : Base {
  explicit Smoothed(float s = 0) : label_smoothing(s) {}
  float label_smoothing;

  std::string attributes() const override { return in_words("label_smoothing", label_smoothing); }
};

/// (logits[…, C], labels i32[…]) -> loss, correct, correct_top5. The loss of a label is
/// (1 − s)(−log p[label]) + s · mean over c of (−log p[c]), p = softmax(logits), s the smoothing (Szegedy et al. 2016).
/// `correct` counts the labels whose logit is the largest (the first of equals), `correct_top5` those with fewer than
/// five logits before theirs.
struct CrossEntropy final : Smoothed<LabelLoss> {
  using Smoothed::Smoothed;

  std::string_view kind() const override { return "cross_entropy"; }
  double flops_per_element() const override { return 5; }  ///< maximum, subtraction, exponential, sum, comparison
  void differentiate(Differentiation& d) const override;
};

/// (logits[…, C], labels i32[…]) -> dlogits = (softmax(logits) − target) · inverse_count · loss scale, the target
/// (1 − s) onehot(label) + s / C; rows of label −1 are zero.
struct CrossEntropyBackward final : Smoothed<LabelLossBackward> {
  using Smoothed::Smoothed;

  std::string_view kind() const override { return "cross_entropy_backward"; }
  double flops_per_element() const override { return 6; }
};

/// What ops of a head make of (x[…, H], w[V, H], labels i32[…]), in this order.
struct HeadOutputs {
  bool losses = false;  ///< loss, correct, correct_top5
  bool dx = false;
  bool dw = false;
};

struct HeadLossOp : Smoothed<Op> {
  HeadLossOp(float s, HeadOutputs o) : Smoothed(s), makes(o) {}
  HeadOutputs makes;

  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::optional<Indices> indices(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// A linear layer without bias and the cross-entropy of its outputs, which are made a few rows at a time in the
/// workspace and never whole: (x[…, H], w[V, H], labels i32[…]) -> loss, correct, correct_top5 of CrossEntropy over
/// logits = x wᵀ. A chunk of logits is of the type of x and w or a wider one, what is made of it f32; chunks of the
/// weight gradient are summed in f32 and rounded once. With its backward halves together it becomes
/// HeadLossAndGradients: 3 products of [tokens × H × V]. With them apart each makes the logits again: 5 products.
struct HeadLoss final : HeadLossOp {
  explicit HeadLoss(float s = 0) : HeadLossOp(s, {true}) {}

  std::string_view kind() const override { return "head_loss"; }
  void differentiate(Differentiation& d) const override;
};

/// (x[…, H], w[V, H], labels i32[…]) -> loss, correct, correct_top5, dx[…, H] = dlogits w, dw[V, H] = dlogitsᵀ x: all
/// that training wants of a head, of logits that are made once. That needs nothing that comes after the loss, for the
/// count and the scale of the loss are known before the step: chunk by chunk the logits' gradients take their place and
/// go into both products (Hsu et al. 2024, "Liger Kernel: Efficient Triton Kernels for LLM Training"). It runs in the
/// backward pass, to which its input may be made again; nobody asks for the loss before.
struct HeadLossAndGradients final : HeadLossOp {
  explicit HeadLossAndGradients(float s = 0) : HeadLossOp(s, {true, true, true}) {}

  std::string_view kind() const override { return "head_loss_and_gradients"; }
  bool adds_to_some() const override { return true; }
};

/// (x[…, H], w[V, H], labels) -> dx[…, H] = dlogits w.
struct HeadLossBackwardInput final : HeadLossOp {
  explicit HeadLossBackwardInput(float s = 0) : HeadLossOp(s, {false, true, false}) {}

  std::string_view kind() const override { return "head_loss_backward_input"; }
};

/// (x[…, H], w[V, H], labels) -> dw[V, H] = dlogitsᵀ x.
struct HeadLossBackwardWeight final : HeadLossOp {
  explicit HeadLossBackwardWeight(float s = 0) : HeadLossOp(s, {false, false, true}) {}

  std::string_view kind() const override { return "head_loss_backward_weight"; }
};

/// (y[N, C], labels i32[N]) -> loss, correct, correct_top5: the loss of a sample is the mean over c of
/// (y[c] − onehot(label)[c])², the other two as of CrossEntropy.
struct MeanSquaredError final : LabelLoss {
  std::string_view kind() const override { return "mean_squared_error"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 4; }  ///< subtraction, square, sum, comparison
  void differentiate(Differentiation& d) const override;
};

/// (y[N, C], labels i32[N]) -> dy = 2 / C (y − onehot(label)) · inverse_count · loss scale; rows of label −1 are zero.
struct MeanSquaredErrorBackward final : LabelLossBackward {
  std::string_view kind() const override { return "mean_squared_error_backward"; }
  double flops_per_element() const override { return 2; }
};

}  // namespace ddlbench::graph
