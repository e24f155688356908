#include "graph/ops/conv2d.h"

#include "graph/error.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {
namespace {

constexpr int channels = 1;  ///< the dimension of x and y that carries features

std::string in_words(const ConvolutionAttributes& geometry) {
  std::string words = "stride=" + std::to_string(geometry.stride) + " padding=" + std::to_string(geometry.padding);
  if (geometry.dilation != 1) words += " dilation=" + std::to_string(geometry.dilation);
  if (geometry.groups != 1) words += " groups=" + std::to_string(geometry.groups);
  return words;
}

void require_sound(const ConvolutionAttributes& geometry) {
  require(geometry.stride >= 1 && geometry.padding >= 0 && geometry.dilation >= 1 && geometry.groups >= 1,
          "conv2d: stride, dilation or groups are below 1, or padding below 0");
}

/// A part of the channels is a convolution of its own only where each output sees all of them: with more groups than
/// one, the batch alone can be sharded, which is the first signature of each of the three ops.
std::vector<Signature> shardable(const ConvolutionAttributes& geometry, std::vector<Signature> all) {
  if (geometry.groups > 1) all.resize(1);
  return all;
}

/// 2·N·K·P·Q·(C/groups)·R·S from the output side's N, K, P, Q and the weight's C/groups, R, S.
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
  require_sound(geometry);
  if (x.size() != 4 || w.size() != 4 || x[1] != w[1] * geometry.groups || w[0] % geometry.groups != 0)
    throw InputError("conv2d: weight " + to_string(w) + " does not fit input " + to_string(x) +
                     (geometry.groups > 1 ? " in " + std::to_string(geometry.groups) + " groups" : ""));
  if (bias && inputs[2].shape != Shape{w[0]})
    throw InputError("conv2d: bias " + to_string(inputs[2].shape) + " does not fit weight " + to_string(w));
  const std::int64_t height = x[2] + 2 * geometry.padding - geometry.dilation * (w[2] - 1) - 1;
  const std::int64_t width = x[3] + 2 * geometry.padding - geometry.dilation * (w[3] - 1) - 1;
  if (height < 0 || width < 0)
    throw InputError("conv2d: a " + std::to_string(w[2]) + "x" + std::to_string(w[3]) + " kernel" +
                     (geometry.dilation > 1 ? " of dilation " + std::to_string(geometry.dilation) : "") +
                     " does not fit in an image of " + std::to_string(x[2]) + "x" + std::to_string(x[3]) +
                     "; use larger images or fewer layers");
  return {{{x[0], w[0], height / geometry.stride + 1, width / geometry.stride + 1}, inputs[0].dtype, channel_block}};
}

double Conv2d::flops(Types inputs, Types outputs) const {
  return multiply_adds(outputs[0].shape, inputs[1].shape);
}

std::vector<Signature> Conv2d::signatures(Types) const {
  return shardable(geometry, layer_signatures(bias, activation, channels));
}

void Conv2d::differentiate(Differentiation& d) const {
  const Shape& x = d.input_type(0).shape;
  differentiate_layer(d, bias, activation,
                      std::make_shared<Conv2dBackwardInput>(geometry, x[2], x[3], d.input_type(0).channel_block),
                      std::make_shared<Conv2dBackwardWeight>(geometry, d.input_type(1).shape[2], bias));
}

std::vector<OpPtr> Conv2d::split_epilogue() const {
  if (!bias) return {};
  return {std::make_shared<Conv2d>(geometry, false, Activation::none, channel_block),
          std::make_shared<BiasActivation>(activation, Features::second)};
}

std::string Conv2dBackwardInput::attributes() const {
  return in_words(geometry);
}

std::vector<TensorType> Conv2dBackwardInput::infer(Types inputs) const {
  return {{{inputs[0].shape.at(0), inputs[1].shape.at(1) * geometry.groups, height, width},
           inputs[0].dtype,
           channel_block}};
}

double Conv2dBackwardInput::flops(Types inputs, Types) const {
  return multiply_adds(inputs[0].shape, inputs[1].shape);
}

std::vector<Signature> Conv2dBackwardInput::signatures(Types) const {
  return shardable(geometry, layer_backward_input_signatures(channels));
}

std::string Conv2dBackwardWeight::attributes() const {
  return in_words(geometry) + " bias=" + (bias ? "yes" : "no");
}

std::vector<TensorType> Conv2dBackwardWeight::infer(Types inputs) const {
  const std::int64_t out = inputs[1].shape.at(1);
  std::vector<TensorType> types{{{out, inputs[0].shape.at(1) / geometry.groups, kernel, kernel}, inputs[0].dtype}};
  if (bias) types.push_back({{out}, inputs[0].dtype});
  return types;
}

double Conv2dBackwardWeight::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[1].shape, outputs[0].shape);
}

std::vector<Signature> Conv2dBackwardWeight::signatures(Types) const {
  return shardable(geometry, layer_backward_weight_signatures(bias, channels));
}

}  // namespace ddlbench::graph
