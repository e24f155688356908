#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// How x Φ(x), Φ the standard normal distribution, is computed: by the error function, or by the tanh that GPT-2
/// takes for it (Hendrycks & Gimpel 2016, section 2).
enum class GeluForm : std::uint8_t { exact, tanh };

std::string_view name(GeluForm form);

struct GeluOp : Elementwise {
  explicit GeluOp(GeluForm f) : form(f) {}
  GeluForm form;

  std::string attributes() const override { return in_words("form", form); }
};

/// (x) -> x Φ(x). An op of its own and no fused activation: its derivative needs x, which y does not tell.
struct Gelu final : GeluOp {
  using GeluOp::GeluOp;

  std::string_view kind() const override { return "gelu"; }
  double flops_per_element() const override { return 8; }  ///< a cubic polynomial and the function of it, two products
  void differentiate(Differentiation& d) const override;
};

/// (dy, x) -> dx = dy (Φ(x) + x Φ'(x)).
struct GeluBackward final : GeluOp {
  using GeluOp::GeluOp;

  std::string_view kind() const override { return "gelu_backward"; }
  double flops_per_element() const override { return 16; }  ///< as forward, and the derivative of both
};

}  // namespace ddlbench::graph
