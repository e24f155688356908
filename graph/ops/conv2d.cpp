#include "graph/ops/conv2d.h"

#include "graph/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

std::string in_words(const ConvolutionAttributes& geometry) {
  return "stride=" + std::to_string(geometry.stride) + " padding=" + std::to_string(geometry.padding);
}

/// 2·N·K·P·Q·C·R·S from the output side's N, K, P, Q and the weight's C, R, S.
double multiply_adds(const Shape& z, const Shape& w) {
  return 2.0 * static_cast<double>(elements(z)) * static_cast<double>(w[1] * w[2] * w[3]);
}

}  // namespace

std::string Conv2d::attributes() const {
  return in_words(geometry) + " bias=" + (bias ? "yes" : "no") + " activation=" + std::string(name(activation));
}

std::vector<TensorType> Conv2d::infer(Types inputs) const {
  require(inputs.size() == (bias ? 3u : 2u), "conv2d: wrong number of inputs");
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  if (x.size() != 4 || w.size() != 4 || x[1] != w[1])
    throw InputError("conv2d: weight " + to_string(w) + " does not fit input " + to_string(x));
  if (bias && inputs[2].shape != Shape{w[0]})
    throw InputError("conv2d: bias " + to_string(inputs[2].shape) + " does not fit weight " + to_string(w));
  const std::int64_t height = x[2] + 2 * geometry.padding - w[2];
  const std::int64_t width = x[3] + 2 * geometry.padding - w[3];
  if (height < 0 || width < 0)
    throw InputError("conv2d: a " + std::to_string(w[2]) + "x" + std::to_string(w[3]) +
                     " kernel does not fit in an image of " + std::to_string(x[2]) + "x" + std::to_string(x[3]) +
                     "; use larger images or fewer layers");
  return {{{x[0], w[0], height / geometry.stride + 1, width / geometry.stride + 1}, inputs[0].dtype}};
}

double Conv2d::flops(Types inputs, Types outputs) const {
  return multiply_adds(outputs[0].shape, inputs[1].shape);
}

std::vector<Signature> Conv2d::signatures(Types) const {
  std::vector<Signature> all{{{sharded(0), replicated()}, {sharded(0)}}, {{replicated(), sharded(0)}, {sharded(1)}}};
  if (bias) {
    all[0].inputs.push_back(replicated());
    all[1].inputs.push_back(sharded(0));
  } else if (activation == Activation::none) {
    all.push_back({{sharded(1), sharded(1)}, {partial_sum()}});
  }
  return all;
}

void Conv2d::differentiate(Differentiation& d) const {
  TensorId dz = d.output_gradient(0);
  if (activation != Activation::none)
    dz = d.emit("activation_backward", std::make_shared<ActivationBackward>(activation), {dz, d.output(0)},
                Phase::backward_input)[0];
  const Shape& x = d.input_type(0).shape;
  const std::int64_t height = x[2], width = x[3], kernel = d.input_type(1).shape[2];
  if (d.needs_gradient(0))
    d.set_gradient(0, d.emit("backward_input", std::make_shared<Conv2dBackwardInput>(geometry, height, width),
                             {dz, d.input(1)}, Phase::backward_input)[0]);
  const std::vector<TensorId> gradients =
      d.emit("backward_weight", std::make_shared<Conv2dBackwardWeight>(geometry, kernel, bias), {d.input(0), dz},
             Phase::backward_weight);
  d.set_gradient(1, gradients[0]);
  if (bias) d.set_gradient(2, gradients[1]);
}

std::vector<OpPtr> Conv2d::split_epilogue() const {
  if (!bias) return {};
  return {std::make_shared<Conv2d>(geometry, false, Activation::none), std::make_shared<BiasActivation>(activation)};
}

std::string Conv2dBackwardInput::attributes() const {
  return in_words(geometry);
}

std::vector<TensorType> Conv2dBackwardInput::infer(Types inputs) const {
  return {{{inputs[0].shape.at(0), inputs[1].shape.at(1), height, width}, inputs[0].dtype}};
}

double Conv2dBackwardInput::flops(Types inputs, Types) const {
  return multiply_adds(inputs[0].shape, inputs[1].shape);
}

std::vector<Signature> Conv2dBackwardInput::signatures(Types) const {
  return {{{sharded(0), replicated()}, {sharded(0)}},
          {{sharded(1), sharded(0)}, {partial_sum()}},
          {{replicated(), sharded(1)}, {sharded(1)}}};
}

std::string Conv2dBackwardWeight::attributes() const {
  return in_words(geometry) + " bias=" + (bias ? "yes" : "no");
}

std::vector<TensorType> Conv2dBackwardWeight::infer(Types inputs) const {
  const std::int64_t out = inputs[1].shape.at(1);
  std::vector<TensorType> types{{{out, inputs[0].shape.at(1), kernel, kernel}, inputs[0].dtype}};
  if (bias) types.push_back({{out}, inputs[0].dtype});
  return types;
}

double Conv2dBackwardWeight::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[1].shape, outputs[0].shape);
}

std::vector<Signature> Conv2dBackwardWeight::signatures(Types) const {
  std::vector<Signature> all{{{sharded(0), sharded(0)}, {partial_sum()}},
                             {{replicated(), sharded(1)}, {sharded(0)}},
                             {{sharded(1), replicated()}, {sharded(1)}}};
  if (bias) {
    all[0].outputs.push_back(partial_sum());
    all[1].outputs.push_back(sharded(0));
    all[2].outputs.push_back(replicated());
  }
  return all;
}

}  // namespace ddlbench::graph
