#include "graph/ops/layer_norm.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {

std::vector<TensorType> LayerNorm::infer(Types inputs) const {
  require(inputs.size() == 3, "layer_norm: wrong number of inputs");
  require_one_dtype("layer_norm", inputs);
  const Shape& x = inputs[0].shape;
  if (x.size() < 2 || inputs[1].shape != Shape{x.back()} || inputs[2].shape != Shape{x.back()})
    throw InputError(fmt::format("layer_norm: gamma {} and beta {} do not fit the last dimension of {}",
                                 to_string(inputs[1].shape), to_string(inputs[2].shape), to_string(x)));
  const TensorType statistic{Shape(x.begin(), x.end() - 1), DType::f32};
  return {inputs[0], statistic, statistic};
}

std::vector<Signature> LayerNorm::signatures(Types) const {
  return {{{sharded(0), replicated(), replicated()}, {sharded(0), sharded(0), sharded(0)}}};
}

void LayerNorm::differentiate(Differentiation& d) const {
  const TensorId dy = d.output_gradient(0);
  d.backward_input(std::make_shared<LayerNormBackwardInput>(), {dy, d.input(0), d.input(1), d.output(1), d.output(2)});
  d.backward_weight(std::make_shared<LayerNormBackwardWeight>(), {dy, d.input(0), d.output(1), d.output(2)});
}

std::vector<TensorType> LayerNormBackwardInput::infer(Types inputs) const {
  require(inputs.size() == 5 && inputs[0] == inputs[1], "layer_norm_backward_input: dy and x differ in type");
  return {inputs[1]};
}

std::vector<Signature> LayerNormBackwardInput::signatures(Types) const {
  return {{{sharded(0), sharded(0), replicated(), sharded(0), sharded(0)}, {sharded(0)}}};
}

std::vector<TensorType> LayerNormBackwardWeight::infer(Types inputs) const {
  require(inputs.size() == 4 && inputs[0] == inputs[1], "layer_norm_backward_weight: dy and x differ in type");
  const TensorType features{{inputs[0].shape.back()}, inputs[0].dtype};
  return {features, features};
}

std::vector<Signature> LayerNormBackwardWeight::signatures(Types) const {
  return {{{sharded(0), sharded(0), sharded(0), sharded(0)}, {partial_sum(), partial_sum()}}};
}

}  // namespace ddlbench::graph
