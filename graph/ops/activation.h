#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// An elementwise function that an op applies to its result. Fusion is an attribute of an op, not an op.
enum class Activation : std::uint8_t { none, relu };

std::string_view name(Activation activation);

/// (dy, y) -> dz = dy · f'(z), computed from y = f(z).
struct ActivationBackward final : Elementwise {
  explicit ActivationBackward(Activation f) : activation(f) {}
  Activation activation;

  std::string_view kind() const override { return "activation_backward"; }
  std::string attributes() const override { return attribute_text("activation", activation); }
  double flops_per_element() const override { return 1; }
  bool takes_channel_blocks() const override { return true; }
};

/// The dimension of x that contains the features, for ops that follow both linear layers (the last dimension) and
/// convolutions (dimension 1).
enum class Features : std::uint8_t { second, last };

std::string_view name(Features features);
int dimension_of(Features features, const Shape& x);

/// (x[, b[C]]) -> f(x + b), with b along the features of x: the epilogue of a linear layer or convolution.
struct BiasActivation final : Op {
  BiasActivation(Activation f, Features along, bool with_bias = true)
      : activation(f), features(along), bias(with_bias) {}
  Activation activation;
  Features features;
  bool bias;

  std::string_view kind() const override { return "bias_activation"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
  void differentiate(Differentiation& d) const override;
  Activation last_activation() const override { return activation; }
};

/// (dz) -> db[C] = the sum of dz over all dimensions except the features.
struct BiasBackward final : Op {
  explicit BiasBackward(Features along) : features(along) {}
  Features features;

  std::string_view kind() const override { return "bias_backward"; }
  std::string attributes() const override { return attribute_text("features", features); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
};

}  // namespace ddlbench::graph
