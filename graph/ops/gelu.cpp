#include "graph/ops/gelu.h"

#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/activation.h"

namespace ddlbench::graph {

std::string_view name(GeluForm form) {
  return form == GeluForm::exact ? "exact" : "tanh";
}

std::string Gelu::attributes() const {
  return "form=" + std::string(name(form));
}

std::vector<TensorType> Gelu::infer(Types inputs) const {
  return {inputs[0]};
}

/// Per element: a cubic polynomial and the function of it, and two products.
double Gelu::flops(Types inputs, Types) const {
  return 8.0 * static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> Gelu::signatures(Types inputs) const {
  return elementwise_signatures(1, inputs[0].shape);
}

void Gelu::differentiate(Differentiation& d) const {
  if (!d.needs_gradient(0)) return;
  d.set_gradient(0, d.emit("backward_input", std::make_shared<GeluBackward>(form), {d.output_gradient(0), d.input(0)},
                           Phase::backward_input)[0]);
}

std::string GeluBackward::attributes() const {
  return "form=" + std::string(name(form));
}

std::vector<TensorType> GeluBackward::infer(Types inputs) const {
  require(inputs.size() == 2 && inputs[0] == inputs[1], "gelu_backward: dy and x differ in type");
  return {inputs[0]};
}

/// As forward, and the derivative of both.
double GeluBackward::flops(Types inputs, Types) const {
  return 16.0 * static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> GeluBackward::signatures(Types inputs) const {
  return elementwise_signatures(2, inputs[0].shape);
}

}  // namespace ddlbench::graph
