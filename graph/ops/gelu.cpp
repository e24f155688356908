#include "graph/ops/gelu.h"

#include "graph/graph.h"

namespace ddlbench::graph {

std::string_view name(GeluForm form) {
  return form == GeluForm::exact ? "exact" : "tanh";
}

void Gelu::differentiate(Differentiation& d) const {
  d.backward_input(std::make_shared<GeluBackward>(form), {d.output_gradient(0), d.input(0)});
}

}  // namespace ddlbench::graph
