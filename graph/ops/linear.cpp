#include "graph/ops/linear.h"

#include "graph/error.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {
namespace {

double multiply_adds(std::int64_t n, std::int64_t in, std::int64_t out) {
  return 2.0 * static_cast<double>(n) * static_cast<double>(in) * static_cast<double>(out);
}

}  // namespace

std::string Linear::attributes() const {
  return std::string("bias=") + (bias ? "yes" : "no") + " activation=" + std::string(name(activation));
}

std::vector<TensorType> Linear::infer(Types inputs) const {
  require(inputs.size() == (bias ? 3u : 2u), "linear: wrong number of inputs");
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  if (x.size() != 2 || w.size() != 2 || x[1] != w[1])
    throw InputError("linear: weight " + to_string(w) + " does not fit input " + to_string(x));
  if (bias && inputs[2].shape != Shape{w[0]})
    throw InputError("linear: bias " + to_string(inputs[2].shape) + " does not fit weight " + to_string(w));
  return {{{x[0], w[0]}, inputs[0].dtype}};
}

double Linear::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[0].shape[0], inputs[0].shape[1], outputs[0].shape[1]);
}

std::vector<Signature> Linear::signatures(Types) const {
  return layer_signatures(bias, activation);
}

void Linear::differentiate(Differentiation& d) const {
  differentiate_layer(d, bias, activation, std::make_shared<LinearBackwardInput>(),
                      std::make_shared<LinearBackwardWeight>(bias));
}

std::vector<OpPtr> Linear::split_epilogue() const {
  if (!bias) return {};
  return {std::make_shared<Linear>(false, Activation::none), std::make_shared<BiasActivation>(activation)};
}

std::vector<TensorType> LinearBackwardInput::infer(Types inputs) const {
  return {{{inputs[0].shape.at(0), inputs[1].shape.at(1)}, inputs[0].dtype}};
}

double LinearBackwardInput::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[0].shape[0], inputs[0].shape[1], outputs[0].shape[1]);
}

std::vector<Signature> LinearBackwardInput::signatures(Types) const {
  return layer_backward_input_signatures();
}

std::string LinearBackwardWeight::attributes() const {
  return std::string("bias=") + (bias ? "yes" : "no");
}

std::vector<TensorType> LinearBackwardWeight::infer(Types inputs) const {
  const std::int64_t out = inputs[1].shape.at(1);
  std::vector<TensorType> types{{{out, inputs[0].shape.at(1)}, inputs[0].dtype}};
  if (bias) types.push_back({{out}, inputs[0].dtype});
  return types;
}

double LinearBackwardWeight::flops(Types inputs, Types) const {
  return multiply_adds(inputs[0].shape[0], inputs[0].shape[1], inputs[1].shape[1]);
}

std::vector<Signature> LinearBackwardWeight::signatures(Types) const {
  return layer_backward_weight_signatures(bias);
}

}  // namespace ddlbench::graph
