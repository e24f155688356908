#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// How x Φ(x) is computed, where Φ is the distribution function of the standard normal distribution: with the error
/// function, or with the approximation by tanh that GPT-2 uses (Hendrycks & Gimpel 2016, section 2).
enum class GeluForm : std::uint8_t { exact, tanh };

std::string_view name(GeluForm form);

struct GeluOp : Elementwise {
  explicit GeluOp(GeluForm f) : form(f) {}
  GeluForm form;

  std::string attributes() const override { return attribute_text("form", form); }
};

/// (x) -> x Φ(x). It is a separate op and not a fused activation because its derivative needs x, which cannot be
/// computed from y.
struct Gelu final : GeluOp {
  using GeluOp::GeluOp;

  std::string_view kind() const override { return "gelu"; }
  double flops_per_element() const override { return 8; }  ///< a cubic polynomial, a function of it, and two products
  void differentiate(Differentiation& d) const override;
};

/// (dy, x) -> dx = dy (Φ(x) + x Φ'(x)).
struct GeluBackward final : GeluOp {
  using GeluOp::GeluOp;

  std::string_view kind() const override { return "gelu_backward"; }
  double flops_per_element() const override { return 16; }  ///< as in Gelu, and their derivatives
};

}  // namespace ddlbench::graph
