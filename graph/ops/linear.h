#pragma once

#include "graph/attributes.h"
#include "graph/op.h"
#include "graph/ops/activation.h"

namespace ddlbench::graph {

/// (x[…, in], w[out, in][, b[out]]) -> y[…, out] = f(x wᵀ + b). There may be several leading dimensions; dimension 0 is
/// the batch.
struct Linear final : Op {
  Linear(bool with_bias, Activation f) : bias(with_bias), activation(f) {}
  bool bias;
  Activation activation;

  std::string_view kind() const override { return "linear"; }
  std::string attributes() const override { return attribute_text("bias", bias, "activation", activation); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
  Activation last_activation() const override { return activation; }
  std::vector<OpPtr> split_epilogue() const override;
};

/// (dz[…, out], w[out, in]) -> dx[…, in] = dz w.
struct LinearBackwardInput final : Op {
  std::string_view kind() const override { return "linear_backward_input"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (x[…, in], dz[…, out]) -> dw[out, in] = dzᵀ x [, db[out] = column sums of dz].
struct LinearBackwardWeight final : Op {
  explicit LinearBackwardWeight(bool with_bias) : bias(with_bias) {}
  bool bias;

  std::string_view kind() const override { return "linear_backward_weight"; }
  std::string attributes() const override { return attribute_text("bias", bias); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
