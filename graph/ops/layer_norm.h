#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// (x[…, H], gamma[H], beta[H]) -> y[…, H], mean[…], rstd[…]: each row y = gamma (x − mean) rstd + beta with
/// rstd = 1 / sqrt(variance + epsilon), the variance over H (Ba et al. 2016). Backward keeps x and the statistics.
struct LayerNorm final : Op {
  explicit LayerNorm(float e) : epsilon(e) {}
  float epsilon;

  std::string_view kind() const override { return "layer_norm"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy, x, gamma, mean, rstd) -> dx.
struct LayerNormBackwardInput final : Op {
  std::string_view kind() const override { return "layer_norm_backward_input"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (dy, x, mean, rstd) -> dgamma[H], dbeta[H].
struct LayerNormBackwardWeight final : Op {
  std::string_view kind() const override { return "layer_norm_backward_weight"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
