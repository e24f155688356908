#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// An elementwise function that an op applies to its result (fusion is an attribute, not an op).
enum class Activation : std::uint8_t { none, relu };

std::string_view name(Activation activation);

/// (dy, y) -> dz = dy * f'(z), where y = f(z) is what was kept.
struct ActivationBackward final : Op {
  explicit ActivationBackward(Activation f) : activation(f) {}
  Activation activation;

  std::string_view kind() const override { return "activation_backward"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (x, b[C]) -> f(x + b), b along dimension 1 of x: the epilogue of a linear layer or a convolution.
struct BiasActivation final : Op {
  explicit BiasActivation(Activation f) : activation(f) {}
  Activation activation;

  std::string_view kind() const override { return "bias_activation"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dz) -> db[C] = the sum of dz over all dimensions but 1.
struct BiasBackward final : Op {
  std::string_view kind() const override { return "bias_backward"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
