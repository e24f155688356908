#include "graph/op.h"

#include "base/error.h"
#include "graph/ops/activation.h"

namespace ddlbench::graph {

double Op::flops(Types inputs, Types) const {
  const double each = flops_per_element();
  return each == 0 ? 0 : each * static_cast<double>(elements(inputs[0].shape));
}

Activation Op::last_activation() const {
  return Activation::none;
}

void Op::differentiate(Differentiation&) const {
  throw ContractError("op '" + std::string(kind()) + "' has no derivative");
}

std::vector<Signature> elementwise_signatures(Types inputs) {
  std::vector<Signature> all;
  for (int dimension = 0; dimension < static_cast<int>(inputs[0].shape.size()); ++dimension)
    all.push_back({std::vector<Placement>(inputs.size(), sharded(dimension)), {sharded(dimension)}});
  return all;
}

std::vector<TensorType> Elementwise::infer(Types inputs) const {
  for (const TensorType& type : inputs) require(type == inputs[0], std::string(kind()) + ": the inputs differ in type");
  return {inputs[0]};
}

}  // namespace ddlbench::graph
