#include "graph/ops/activation.h"

#include <fmt/core.h>

#include "base/enumeration.h"
#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {

std::string_view name(Activation activation) {
  return name_of<Activation::relu>(activation, "none", "relu");
}

std::string_view name(Features features) {
  return features == Features::second ? "second" : "last";
}

int dimension_of(Features features, const Shape& x) {
  return features == Features::second ? 1 : static_cast<int>(x.size()) - 1;
}

std::string BiasActivation::attributes() const {
  return attribute_text("activation", activation, "features", features) + (bias ? "" : " bias=no");
}

std::vector<TensorType> BiasActivation::infer(Types inputs) const {
  require(inputs.size() == (bias ? 2u : 1u), "bias_activation: wrong number of inputs");
  const Shape& x = inputs[0].shape;
  if (bias && (x.size() < 2 || inputs[1].shape != Shape{x[static_cast<std::size_t>(dimension_of(features, x))]}))
    throw InputError(fmt::format("bias {} does not fit the {} dimension of {}", to_string(inputs[1].shape),
                                 name(features), to_string(x)));
  require_one_dtype("bias_activation", inputs);
  return {inputs[0]};
}

std::vector<Signature> BiasActivation::signatures(Types inputs) const {
  if (!bias) return elementwise_signatures(inputs);
  const int d = dimension_of(features, inputs[0].shape);
  return {{{sharded(0), replicated()}, {sharded(0)}}, {{sharded(d), sharded(0)}, {sharded(d)}}};
}

void BiasActivation::differentiate(Differentiation& d) const {
  const TensorId dz = activation_gradient(d, activation);
  if (d.needs_gradient(0)) d.set_gradient(0, dz);
  if (bias) d.backward_weight(std::make_shared<BiasBackward>(features), {dz});
}

std::vector<TensorType> BiasBackward::infer(Types inputs) const {
  const Shape& dz = inputs[0].shape;
  require(inputs.size() == 1 && dz.size() >= 2, "bias_backward: dz needs two dimensions");
  return {{{dz[static_cast<std::size_t>(dimension_of(features, dz))]}, inputs[0].dtype}};
}

std::vector<Signature> BiasBackward::signatures(Types inputs) const {
  return {{{sharded(0)}, {partial_sum()}}, {{sharded(dimension_of(features, inputs[0].shape))}, {sharded(0)}}};
}

}  // namespace ddlbench::graph
