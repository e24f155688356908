#include "graph/ops/activation.h"

#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {

std::vector<Signature> elementwise_signatures(std::size_t inputs, const Shape& shape) {
  std::vector<Signature> all;
  for (int dimension = 0; dimension < static_cast<int>(shape.size()); ++dimension)
    all.push_back({std::vector<Placement>(inputs, sharded(dimension)), {sharded(dimension)}});
  return all;
}

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::none:
      return "none";
    case Activation::relu:
      return "relu";
  }
  throw ContractError("unknown activation");
}

std::string_view name(Features features) {
  return features == Features::second ? "second" : "last";
}

int dimension_of(Features features, const Shape& x) {
  return features == Features::second ? 1 : static_cast<int>(x.size()) - 1;
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
  return elementwise_signatures(2, inputs[0].shape);
}

std::string BiasActivation::attributes() const {
  return "activation=" + std::string(name(activation)) + " features=" + std::string(name(features)) +
         (bias ? "" : " bias=no");
}

std::vector<TensorType> BiasActivation::infer(Types inputs) const {
  require(inputs.size() == (bias ? 2u : 1u), "bias_activation: wrong number of inputs");
  const Shape& x = inputs[0].shape;
  if (bias && (x.size() < 2 || inputs[1].shape != Shape{x[static_cast<std::size_t>(dimension_of(features, x))]}))
    throw InputError("bias " + to_string(inputs[1].shape) + " does not fit the " + std::string(name(features)) +
                     " dimension of " + to_string(x));
  require_one_dtype("bias_activation", inputs);
  return {inputs[0]};
}

double BiasActivation::flops(Types, Types outputs) const {
  return static_cast<double>(elements(outputs[0].shape));
}

std::vector<Signature> BiasActivation::signatures(Types inputs) const {
  if (!bias) return elementwise_signatures(1, inputs[0].shape);
  const int d = dimension_of(features, inputs[0].shape);
  return {{{sharded(0), replicated()}, {sharded(0)}}, {{sharded(d), sharded(0)}, {sharded(d)}}};
}

void BiasActivation::differentiate(Differentiation& d) const {
  const TensorId dz = activation_gradient(d, activation);
  if (d.needs_gradient(0)) d.set_gradient(0, dz);
  if (!bias) return;
  d.set_gradient(1,
                 d.emit("backward_weight", std::make_shared<BiasBackward>(features), {dz}, Phase::backward_weight)[0]);
}

std::string BiasBackward::attributes() const {
  return "features=" + std::string(name(features));
}

std::vector<TensorType> BiasBackward::infer(Types inputs) const {
  const Shape& dz = inputs[0].shape;
  require(inputs.size() == 1 && dz.size() >= 2, "bias_backward: dz needs two dimensions");
  return {{{dz[static_cast<std::size_t>(dimension_of(features, dz))]}, inputs[0].dtype}};
}

double BiasBackward::flops(Types inputs, Types) const {
  return static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> BiasBackward::signatures(Types inputs) const {
  return {{{sharded(0)}, {partial_sum()}}, {{sharded(dimension_of(features, inputs[0].shape))}, {sharded(0)}}};
}

}  // namespace ddlbench::graph
