#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// (x) -> x in another floating-point type, rounded to nearest, ties to even.
struct Cast final : Op {
  explicit Cast(DType d) : to(d) {}
  DType to;

  std::string_view kind() const override { return "cast"; }
  std::string attributes() const override { return attribute_text("to", to); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override { return elementwise_signatures(inputs); }
  bool takes_channel_blocks() const override { return true; }
  void differentiate(Differentiation& d) const override;
};

/// (x) -> the same bytes. Substitute of ops that do nothing in evaluation.
struct Identity final : Elementwise {
  std::string_view kind() const override { return "identity"; }
  bool is_view() const override { return true; }
};

}  // namespace ddlbench::graph
