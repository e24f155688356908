#include "graph/ops/conv2d.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {
namespace {

constexpr int channel_dimension = 1;  ///< dimension of x and y

void require_valid(const ConvolutionAttributes& geometry) {
  require(geometry.stride >= 1 && geometry.padding >= 0 && geometry.dilation >= 1 && geometry.groups >= 1,
          "conv2d: stride, dilation or groups are below 1, or padding below 0");
}

/// Returns the op for a part of the channels. `part` is an extent of a dimension of size `size` that groups divide.
/// Throws ContractError unless the part consists of whole groups.
template <class Whole>
OpPtr of_part(const Whole& whole, Extent part, std::int64_t size) {
  if (whole.geometry.groups == 1 || part.size() == size) return {};
  const std::int64_t groups = whole.geometry.groups * part.size() / size;
  require(groups * size == whole.geometry.groups * part.size(), "conv2d: a part is not a whole number of groups");
  auto op = std::make_shared<Whole>(whole);
  op->geometry.groups = static_cast<int>(groups);
  return op;
}

/// Returns 2·N·K·P·Q·(C/groups)·R·S: N, K, P and Q from the output `z`, the others from the weight `w`.
double multiply_adds(const Shape& z, const Shape& w) {
  return 2.0 * static_cast<double>(elements(z)) * static_cast<double>(w[1] * w[2] * w[3]);
}

}  // namespace

std::string Convolution::attributes() const {
  std::string words = attribute_text("stride", geometry.stride, "padding", geometry.padding);
  if (geometry.dilation != 1) words += " " + attribute_text("dilation", geometry.dilation);
  if (geometry.groups != 1) words += " " + attribute_text("groups", geometry.groups);
  return words;
}

std::string Conv2d::attributes() const {
  return fmt::format("{} {}", Convolution::attributes(), attribute_text("bias", bias, "activation", activation));
}

std::vector<TensorType> Conv2d::infer(Types inputs) const {
  require(inputs.size() == (bias ? 3u : 2u), "conv2d: wrong number of inputs");
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  require_valid(geometry);
  if (x.size() != 4 || w.size() != 4 || x[1] != w[1] * geometry.groups || w[0] % geometry.groups != 0)
    throw InputError(fmt::format("conv2d: weight {} does not fit input {}{}", to_string(w), to_string(x),
                                 geometry.groups > 1 ? fmt::format(" in {} groups", geometry.groups) : ""));
  if (bias && inputs[2].shape != Shape{w[0]})
    throw InputError(fmt::format("conv2d: bias {} does not fit weight {}", to_string(inputs[2].shape), to_string(w)));
  const std::int64_t height = x[2] + 2 * geometry.padding - geometry.dilation * (w[2] - 1) - 1;
  const std::int64_t width = x[3] + 2 * geometry.padding - geometry.dilation * (w[3] - 1) - 1;
  if (height < 0 || width < 0)
    throw InputError(fmt::format(
        "conv2d: a {}x{} kernel{} does not fit in an image of {}x{}; use larger images or fewer layers", w[2], w[3],
        geometry.dilation > 1 ? fmt::format(" with dilation {}", geometry.dilation) : "", x[2], x[3]));
  return {{{x[0], w[0], height / geometry.stride + 1, width / geometry.stride + 1}, inputs[0].dtype, channel_block}};
}

double Conv2d::flops(Types inputs, Types outputs) const {
  return multiply_adds(outputs[0].shape, inputs[1].shape);
}

/// An output depends only on the channels of its group. Therefore, with more than one group, only the batch or whole
/// groups can be split.
std::vector<Signature> Conv2d::signatures(Types inputs) const {
  std::vector<Signature> all = layer_signatures(bias, activation, channel_dimension);
  if (geometry.groups == 1) return all;
  const std::int64_t in = inputs[1].shape[1], out = inputs[1].shape[0] / geometry.groups;
  Signature by_group{{sharded(channel_dimension, in), sharded(0, out)}, {sharded(channel_dimension, out)}};
  if (bias) by_group.inputs.push_back(sharded(0, out));
  return {all[0], by_group};
}

OpPtr Conv2d::at(std::span<const Extent> box, const Shape& shape) const {
  return of_part(*this, box[channel_dimension], shape[channel_dimension]);
}

void Conv2d::differentiate(Differentiation& d) const {
  const Shape& x = d.input_type(0).shape;
  differentiate_layer(
      d, activation, std::make_shared<Conv2dBackwardInput>(geometry, x[2], x[3], d.input_type(0).channel_block),
      std::make_shared<Conv2dBackwardWeight>(geometry, d.input_type(1).shape[2], bias, d.input_type(1).channel_block));
}

std::vector<OpPtr> Conv2d::split_epilogue() const {
  return layer_epilogue(std::make_shared<Conv2d>(geometry, false, Activation::none, channel_block), bias, activation,
                        Features::second);
}

std::vector<TensorType> Conv2dBackwardInput::infer(Types inputs) const {
  return {{{inputs[0].shape.at(0), inputs[1].shape.at(1) * geometry.groups, height, width},
           inputs[0].dtype,
           channel_block}};
}

double Conv2dBackwardInput::flops(Types inputs, Types) const {
  return multiply_adds(inputs[0].shape, inputs[1].shape);
}

std::vector<Signature> Conv2dBackwardInput::signatures(Types inputs) const {
  std::vector<Signature> all = layer_backward_input_signatures(channel_dimension);
  if (geometry.groups == 1) return all;
  const std::int64_t in = inputs[1].shape[1], out = inputs[1].shape[0] / geometry.groups;
  return {all[0], {{sharded(channel_dimension, out), sharded(0, out)}, {sharded(channel_dimension, in)}}};
}

OpPtr Conv2dBackwardInput::at(std::span<const Extent> box, const Shape& shape) const {
  return of_part(*this, box[channel_dimension], shape[channel_dimension]);
}

std::string Conv2dBackwardWeight::attributes() const {
  return fmt::format("{} {}", Convolution::attributes(), attribute_text("bias", bias));
}

std::vector<TensorType> Conv2dBackwardWeight::infer(Types inputs) const {
  const std::int64_t out = inputs[1].shape.at(1);
  std::vector<TensorType> types{
      {{out, inputs[0].shape.at(1) / geometry.groups, kernel, kernel}, inputs[0].dtype, channel_block}};
  if (bias) types.push_back({{out}, inputs[0].dtype});
  return types;
}

double Conv2dBackwardWeight::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[1].shape, outputs[0].shape);
}

std::vector<Signature> Conv2dBackwardWeight::signatures(Types inputs) const {
  std::vector<Signature> all = layer_backward_weight_signatures(bias, channel_dimension);
  if (geometry.groups == 1) return all;
  const std::int64_t in = inputs[0].shape[channel_dimension] / geometry.groups;
  const std::int64_t out = inputs[1].shape[channel_dimension] / geometry.groups;
  Signature by_group{{sharded(channel_dimension, in), sharded(channel_dimension, out)}, {sharded(0, out)}};
  if (bias) by_group.outputs.push_back(sharded(0, out));
  return {all[0], by_group};
}

OpPtr Conv2dBackwardWeight::at(std::span<const Extent> box, const Shape& shape) const {
  return of_part(*this, box[0], shape[0]);
}

}  // namespace ddlbench::graph
