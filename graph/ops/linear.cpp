#include "graph/ops/linear.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {
namespace {

/// Returns the FLOPs of the product of all rows of x with a matrix of `outputs` outputs.
double multiply_adds(const Shape& x, std::int64_t outputs) {
  return 2.0 * static_cast<double>(elements(x)) * static_cast<double>(outputs);
}

int features(const Shape& x) {
  return static_cast<int>(x.size()) - 1;
}

Shape with_features(Shape shape, std::int64_t size) {
  shape.back() = size;
  return shape;
}

}  // namespace

std::vector<TensorType> Linear::infer(Types inputs) const {
  require(inputs.size() == (bias ? 3u : 2u), "linear: wrong number of inputs");
  require_one_dtype("linear", inputs);
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  if (x.size() < 2 || w.size() != 2 || x.back() != w[1])
    throw InputError(fmt::format("linear: weight {} does not fit input {}", to_string(w), to_string(x)));
  if (bias && inputs[2].shape != Shape{w[0]})
    throw InputError(fmt::format("linear: bias {} does not fit weight {}", to_string(inputs[2].shape), to_string(w)));
  return {{with_features(x, w[0]), inputs[0].dtype}};
}

double Linear::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[0].shape, outputs[0].shape.back());
}

std::vector<Signature> Linear::signatures(Types inputs) const {
  return layer_signatures(bias, activation, features(inputs[0].shape));
}

void Linear::differentiate(Differentiation& d) const {
  differentiate_layer(d, activation, std::make_shared<LinearBackwardInput>(),
                      std::make_shared<LinearBackwardWeight>(bias));
}

std::vector<OpPtr> Linear::split_epilogue() const {
  return layer_epilogue(std::make_shared<Linear>(false, Activation::none), bias, activation, Features::last);
}

std::vector<TensorType> LinearBackwardInput::infer(Types inputs) const {
  return {{with_features(inputs[0].shape, inputs[1].shape.at(1)), inputs[0].dtype}};
}

double LinearBackwardInput::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[0].shape, outputs[0].shape.back());
}

std::vector<Signature> LinearBackwardInput::signatures(Types inputs) const {
  return layer_backward_input_signatures(features(inputs[0].shape));
}

std::vector<TensorType> LinearBackwardWeight::infer(Types inputs) const {
  const std::int64_t out = inputs[1].shape.back();
  std::vector<TensorType> types{{{out, inputs[0].shape.back()}, inputs[0].dtype}};
  if (bias) types.push_back({{out}, inputs[0].dtype});
  return types;
}

double LinearBackwardWeight::flops(Types inputs, Types) const {
  return multiply_adds(inputs[0].shape, inputs[1].shape.back());
}

std::vector<Signature> LinearBackwardWeight::signatures(Types inputs) const {
  return layer_backward_weight_signatures(bias, features(inputs[0].shape));
}

}  // namespace ddlbench::graph
