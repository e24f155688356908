#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// (x) -> x in another floating-point type, rounded to the nearest, ties to even.
struct Cast final : Op {
  explicit Cast(DType d) : to(d) {}
  DType to;

  std::string_view kind() const override { return "cast"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
  void differentiate(Differentiation& d) const override;
};

/// (x) -> the same bytes: what stands in evaluation for an op that then does nothing.
struct Identity final : Op {
  std::string_view kind() const override { return "identity"; }
  std::vector<TensorType> infer(Types inputs) const override { return {inputs[0]}; }
  double flops(Types, Types) const override { return 0; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool is_view() const override { return true; }
};

}  // namespace ddlbench::graph
