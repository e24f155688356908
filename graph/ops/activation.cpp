#include "graph/ops/activation.h"

#include "graph/error.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {
namespace {

/// An elementwise op over tensors of one shape runs on any dimension of it.
std::vector<Signature> elementwise(std::size_t inputs, const Shape& shape) {
  std::vector<Signature> all;
  for (int dimension = 0; dimension < static_cast<int>(shape.size()); ++dimension)
    all.push_back({std::vector<Placement>(inputs, sharded(dimension)), {sharded(dimension)}});
  return all;
}

}  // namespace

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::none:
      return "none";
    case Activation::relu:
      return "relu";
  }
  throw ContractError("unknown activation");
}

std::string ActivationBackward::attributes() const {
  return "activation=" + std::string(name(activation));
}

std::vector<TensorType> ActivationBackward::infer(Types inputs) const {
  require(inputs.size() == 2 && inputs[0] == inputs[1], "activation_backward: dy and y differ in type");
  return {inputs[0]};
}

double ActivationBackward::flops(Types inputs, Types) const {
  return static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> ActivationBackward::signatures(Types inputs) const {
  return elementwise(2, inputs[0].shape);
}

std::string BiasActivation::attributes() const {
  return "activation=" + std::string(name(activation));
}

std::vector<TensorType> BiasActivation::infer(Types inputs) const {
  if (inputs.size() != 2 || inputs[0].shape.size() < 2 || inputs[1].shape != Shape{inputs[0].shape[1]})
    throw InputError("a bias must have one value for each of dimension 1 of what it is added to");
  return {inputs[0]};
}

double BiasActivation::flops(Types, Types outputs) const {
  return static_cast<double>(elements(outputs[0].shape));
}

std::vector<Signature> BiasActivation::signatures(Types) const {
  return {{{sharded(0), replicated()}, {sharded(0)}}, {{sharded(1), sharded(0)}, {sharded(1)}}};
}

void BiasActivation::differentiate(Differentiation& d) const {
  const TensorId dz = activation_gradient(d, activation);
  if (d.needs_gradient(0)) d.set_gradient(0, dz);
  d.set_gradient(1, d.emit("backward_weight", std::make_shared<BiasBackward>(), {dz}, Phase::backward_weight)[0]);
}

std::vector<TensorType> BiasBackward::infer(Types inputs) const {
  require(inputs.size() == 1 && inputs[0].shape.size() >= 2, "bias_backward: dz needs two dimensions");
  return {{{inputs[0].shape[1]}, inputs[0].dtype}};
}

double BiasBackward::flops(Types inputs, Types) const {
  return static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> BiasBackward::signatures(Types) const {
  return {{{sharded(0)}, {partial_sum()}}, {{sharded(1)}, {sharded(0)}}};
}

}  // namespace ddlbench::graph
