#pragma once

#include "graph/normalisation.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// (x u8[N, C, …]) -> x normalised (graph/normalisation.h) and rounded once to the floating-point type `to`. Bytes have
/// no gradient.
struct Normalise final : Op {
  /// Throws ContractError unless `dtype` is a floating-point type and `how` has as many deviations as means: 1 to
  /// max_normalised_channels.
  Normalise(Normalisation how, DType dtype);
  Normalisation normalisation;
  DType to;

  std::string_view kind() const override { return "normalise"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 3; }
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

}  // namespace ddlbench::graph
