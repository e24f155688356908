#include "kernels/sizes/layers.h"

#include <fmt/core.h>

#include "graph/ops/linear.h"
#include "kernels/binding.h"

namespace ddlbench::kernels {
namespace {

void expect_rank(const Binding& binding, const graph::TensorType& type, std::size_t rank) {
  if (type.shape.size() == rank) return;
  reject(binding, fmt::format("{} should have {} dimensions", graph::to_string(type), rank));
}

void expect_shape(const Binding& binding, const graph::TensorType& type, const graph::Shape& shape) {
  if (type.shape == shape) return;
  reject(binding, fmt::format("{} should be {}", graph::to_string(type), graph::to_string(shape)));
}

/// Returns the number of positions of a window. `window` is its extent, including the positions that a dilated window
/// skips.
std::int64_t window_positions(std::int64_t size, std::int64_t window, int stride, int padding) {
  const std::int64_t room = size + 2 * padding - window;
  return room < 0 ? 0 : room / stride + 1;
}

ConvolutionSizes convolution(const Binding& binding, const graph::ConvolutionAttributes& geometry,
                             const graph::TensorType& x, const graph::TensorType& w, const graph::TensorType& y) {
  expect_rank(binding, x, 4);
  expect_rank(binding, w, 4);
  expect_rank(binding, y, 4);
  expect(binding, geometry.stride >= 1 && geometry.padding >= 0, "stride is below 1 or padding below 0");
  expect(binding, geometry.dilation >= 1 && geometry.groups >= 1, "dilation or groups are below 1");
  ConvolutionSizes z;
  z.n = x.shape[0], z.c = x.shape[1], z.h = x.shape[2], z.w = x.shape[3];
  z.k = w.shape[0], z.r = w.shape[2], z.s = w.shape[3];
  z.p = y.shape[2], z.q = y.shape[3];
  z.stride = geometry.stride, z.padding = geometry.padding;
  z.dilation = geometry.dilation, z.groups = geometry.groups;
  z.x_block = x.channel_block, z.w_block = w.channel_block, z.y_block = y.channel_block;
  expect(binding, z.c % z.x_block == 0 && z.k % z.y_block == 0, "a channel block does not divide the channels");
  expect(binding, z.c % z.groups == 0 && z.k % z.groups == 0, "channels do not divide into the groups");
  expect(binding, z.w_block == 1 || z.w_block == w.shape[1], "a filter's channels must be in one block");
  expect(binding, w.shape[1] == z.group_channels() && y.shape[0] == z.n && y.shape[1] == z.k, shape_mismatch);
  expect(binding, z.p == window_positions(z.h, z.dilation * (z.r - 1) + 1, z.stride, z.padding), shape_mismatch);
  expect(binding, z.q == window_positions(z.w, z.dilation * (z.s - 1) + 1, z.stride, z.padding), shape_mismatch);
  return z;
}

LinearSizes linear_sizes(const Binding& binding, const graph::TensorType& x, const graph::TensorType& w,
                         const graph::TensorType& y) {
  expect(binding, x.shape.size() >= 2, "x should have rows and features");
  expect_rank(binding, w, 2);
  LinearSizes z{1, x.shape.back(), w.shape[0]};
  for (std::size_t d = 0; d + 1 < x.shape.size(); ++d) z.n *= x.shape[d];
  expect(binding, w.shape[1] == z.in, shape_mismatch);
  graph::Shape outputs = x.shape;
  outputs.back() = z.out;
  expect_shape(binding, y, outputs);
  return z;
}

void expect_images(const Binding& binding, const graph::TensorType& x, const graph::TensorType& y, Storage storage) {
  expect_rank(binding, x, 4);
  expect_rank(binding, y, 4);
  expect_float(binding, x.dtype, storage);
  expect(binding, y.dtype == x.dtype, "y must have the type of x");
}

PoolSizes pool(const Binding& binding, const graph::PoolAttributes& geometry, const graph::TensorType& x,
               const graph::TensorType& y, Storage storage) {
  expect_images(binding, x, y, storage);
  const auto [kernel, stride, padding] = geometry;
  expect(binding, kernel >= 1 && stride >= 1, "kernel or stride is below 1");
  expect(binding, padding >= 0 && padding < kernel, "padding is not 0 to kernel - 1");
  const PoolSizes z{x.shape[0] * x.shape[1], x.shape[2], x.shape[3], y.shape[2], y.shape[3], kernel, stride, padding,
                    x.channel_block};
  expect(binding, y.channel_block == z.block && x.shape[1] % z.block == 0,
         "channel blocks differ, or do not divide the channels");
  expect_shape(binding, y,
               {x.shape[0], x.shape[1], window_positions(z.h, kernel, stride, padding),
                window_positions(z.w, kernel, stride, padding)});
  return z;
}

PoolSizes max_pool(const Binding& binding, const graph::PoolAttributes& geometry, const graph::TensorType& x,
                   const graph::TensorType& y, const graph::TensorType& argmax, Storage storage) {
  const PoolSizes z = pool(binding, geometry, x, y, storage);
  expect(binding, z.kernel * z.kernel <= 256, "a window has more than 256 positions");
  expect(binding, argmax.dtype == graph::DType::u8, "argmax must be u8");
  expect(binding, argmax.channel_block == z.block, shape_mismatch);
  expect_shape(binding, argmax, y.shape);
  return z;
}

AdaptivePoolSizes adaptive_pool(const Binding& binding, const graph::TensorType& x, const graph::TensorType& y,
                                Storage storage) {
  expect_images(binding, x, y, storage);
  expect(binding, y.shape[0] == x.shape[0] && y.shape[1] == x.shape[1], shape_mismatch);
  const bool has_windows = y.shape[2] >= 1 && y.shape[3] >= 1;
  expect(binding, has_windows && x.shape[2] >= 1 && x.shape[3] >= 1, "an image has no positions");
  return {x.shape[0] * x.shape[1], x.shape[2], x.shape[3], y.shape[2], y.shape[3]};
}

}  // namespace

double ConvolutionSizes::flops() const {
  return 2.0 * static_cast<double>(n * k * p * q) * static_cast<double>(group_channels() * r * s);
}

double LinearSizes::flops() const {
  return 2.0 * static_cast<double>(n) * static_cast<double>(in * out);
}

ConvolutionSizes sizes_of_conv2d(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::Conv2d>(binding);
  expect_floats(binding, op.bias ? 3 : 2, 1, storage);
  const auto z = convolution(binding, op.geometry, binding.inputs[0], binding.inputs[1], binding.outputs[0]);
  if (op.bias) expect_shape(binding, binding.inputs[2], {z.k});
  return z;
}

ConvolutionSizes sizes_of_conv2d_backward_input(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::Conv2dBackwardInput>(binding);
  expect_floats(binding, 2, 1, storage);
  return convolution(binding, op.geometry, binding.outputs[0], binding.inputs[1], binding.inputs[0]);
}

ConvolutionSizes sizes_of_conv2d_backward_weight(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::Conv2dBackwardWeight>(binding);
  expect_floats(binding, 2, op.bias ? 2 : 1, storage);
  const auto z = convolution(binding, op.geometry, binding.inputs[0], binding.outputs[0], binding.inputs[1]);
  if (op.bias) expect_shape(binding, binding.outputs[1], {z.k});
  return z;
}

Binding of_one_type(Binding binding) {
  if (binding.outputs.size() == 1 && binding.outputs[0].dtype == graph::DType::f32)
    binding.outputs[0].dtype = binding.inputs[0].dtype;
  return binding;
}

LinearSizes sizes_of_linear(const Binding& binding, Storage storage) {
  const bool bias = attributes_of<graph::Linear>(binding).bias;
  expect_floats(binding, bias ? 3 : 2, 1, storage);
  const auto z = linear_sizes(binding, binding.inputs[0], binding.inputs[1], binding.outputs[0]);
  if (bias) expect_shape(binding, binding.inputs[2], {z.out});
  return z;
}

LinearSizes sizes_of_linear_backward_input(const Binding& binding, Storage storage) {
  expect_floats(binding, 2, 1, storage);
  return linear_sizes(binding, binding.outputs[0], binding.inputs[1], binding.inputs[0]);
}

LinearSizes sizes_of_linear_backward_weight(const Binding& binding, Storage storage) {
  const bool bias = attributes_of<graph::LinearBackwardWeight>(binding).bias;
  expect_floats(binding, 2, bias ? 2 : 1, storage);
  const auto z = linear_sizes(binding, binding.inputs[0], binding.outputs[0], binding.inputs[1]);
  if (bias) expect_shape(binding, binding.outputs[1], {z.out});
  return z;
}

PoolSizes sizes_of_max_pool2d(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::MaxPool2d>(binding);
  expect_operands(binding, 1, 2);
  expect_no_accumulation(binding);
  return max_pool(binding, op.geometry, binding.inputs[0], binding.outputs[0], binding.outputs[1], storage);
}

PoolSizes sizes_of_max_pool2d_backward(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::MaxPool2dBackward>(binding);
  expect_operands(binding, 2, 1);
  return max_pool(binding, op.geometry, binding.outputs[0], binding.inputs[0], binding.inputs[1], storage);
}

PoolSizes sizes_of_average_pool2d(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::AveragePool2d>(binding);
  expect_operands(binding, 1, 1);
  return pool(binding, op.geometry, binding.inputs[0], binding.outputs[0], storage);
}

PoolSizes sizes_of_average_pool2d_backward(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::AveragePool2dBackward>(binding);
  expect_operands(binding, 1, 1);
  return pool(binding, op.geometry, binding.outputs[0], binding.inputs[0], storage);
}

AdaptivePoolSizes sizes_of_adaptive_average_pool2d(const Binding& binding, Storage storage) {
  expect_operands(binding, 1, 1);
  return adaptive_pool(binding, binding.inputs[0], binding.outputs[0], storage);
}

AdaptivePoolSizes sizes_of_adaptive_average_pool2d_backward(const Binding& binding, Storage storage) {
  expect_operands(binding, 1, 1);
  return adaptive_pool(binding, binding.outputs[0], binding.inputs[0], storage);
}

}  // namespace ddlbench::kernels
