#pragma once

#include <vector>

#include "graph/op.h"

namespace ddlbench::graph {

/// (a[, b]) -> w₀·a [+ w₁·b], of equal types, in f32 arithmetic: how copies of weights are averaged. The output may be
/// a or b.
struct WeightedSum final : Op {
  explicit WeightedSum(std::vector<double> w) : weights(std::move(w)) {}
  std::vector<double> weights;  ///< one for each input: one or two

  std::string_view kind() const override { return "weighted_sum"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 2 * static_cast<double>(weights.size()) - 1; }
};

/// (x, mask) -> x where the mask is not 0, else 0; of equal types. The output may be x.
struct KeepWhere final : Op {
  std::string_view kind() const override { return "keep_where"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
};

}  // namespace ddlbench::graph
