#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// (x[…, H], gamma[H], beta[H]) -> y[…, H], mean[…], rstd[…]: each row is y = gamma (x − mean) rstd + beta with rstd =
/// 1 / sqrt(variance + epsilon) and the variance over H (Ba et al. 2016). The backward pass uses x and the statistics.
struct LayerNorm final : Op {
  explicit LayerNorm(float e) : epsilon(e) {}
  float epsilon;

  std::string_view kind() const override { return "layer_norm"; }
  std::string attributes() const override { return attribute_text("epsilon", epsilon); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 8; }  ///< two each for mean and variance, four for the result
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy, x, gamma, mean, rstd) -> dx.
struct LayerNormBackwardInput final : Op {
  std::string_view kind() const override { return "layer_norm_backward_input"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 11; }
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (dy, x, mean, rstd) -> dgamma[H], dbeta[H].
struct LayerNormBackwardWeight final : Op {
  std::string_view kind() const override { return "layer_norm_backward_weight"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 5; }
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
