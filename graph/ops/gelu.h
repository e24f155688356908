#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// How x Φ(x), Φ the standard normal distribution, is computed: by the error function, or by the tanh that GPT-2
/// takes for it (Hendrycks & Gimpel 2016, section 2).
enum class GeluForm : std::uint8_t { exact, tanh };

std::string_view name(GeluForm form);

/// (x) -> x Φ(x). An op of its own and no fused activation: its derivative needs x, which y does not tell.
struct Gelu final : Op {
  explicit Gelu(GeluForm f) : form(f) {}
  GeluForm form;

  std::string_view kind() const override { return "gelu"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy, x) -> dx = dy (Φ(x) + x Φ'(x)).
struct GeluBackward final : Op {
  explicit GeluBackward(GeluForm f) : form(f) {}
  GeluForm form;

  std::string_view kind() const override { return "gelu_backward"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
