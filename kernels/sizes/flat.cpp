#include "kernels/sizes/flat.h"

#include <algorithm>

#include "graph/ops/activation.h"
#include "graph/ops/shape.h"
#include "kernels/binding.h"

namespace ddlbench::kernels {
namespace {

void expect_equal_types(const Binding& binding) {
  const auto& first = binding.inputs[0];
  const auto equal = [&](const graph::TensorType& type) { return type == first; };
  expect(binding, std::all_of(binding.inputs.begin(), binding.inputs.end(), equal), shape_mismatch);
  expect(binding, std::all_of(binding.outputs.begin(), binding.outputs.end(), equal), shape_mismatch);
}

/// Views a row-major tensor around a dimension, or a channels-last tensor around its channels.
AroundDimension around(const Binding& binding, const graph::TensorType& type, int dimension) {
  const graph::Shape& shape = type.shape;
  expect(binding, dimension >= 0 && dimension < static_cast<int>(shape.size()), "there is no such dimension");
  AroundDimension z;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    const std::int64_t size = shape[static_cast<std::size_t>(d)];
    if (d < dimension) z.outer *= size;
    if (d == dimension) z.size = size;
    if (d > dimension) z.inner *= size;
  }
  if (type.channel_block == 1) return z;
  expect(binding, dimension == 1 && type.channel_block == z.size,
         "channels lie in blocks, but the bias needs all channels in one");
  return {z.outer * z.inner, z.size, 1};
}

template <class Op>
PartsSizes parts_sizes(const Binding& binding) {
  const auto& op = attributes_of<Op>(binding);
  expect_operands(binding, 1, 1);
  expect_no_accumulation(binding);
  expect(binding, op.parts >= 1, "there are no parts");
  const auto& type = binding.inputs[0];
  const AroundDimension z = around(binding, graph::TensorType{type.shape}, op.dimension);  // parts keep blocks whole
  expect(binding, op.unit >= 1 && z.size % op.unit == 0, "the dimension does not divide into whole units");
  const PartsSizes sizes{z, static_cast<std::int64_t>(graph::size_of(type.dtype)), op.parts, op.unit};
  expect(binding, type.channel_block == 1 || op.dimension <= 1, "channel blocks do not lie along this dimension");
  for (int part = 0; op.dimension == 1 && part < op.parts; ++part)
    expect(binding, sizes.part(part).begin % type.channel_block == 0, "a part begins within a channel block");
  return sizes;
}

ClassSizes class_sizes(const Binding& binding, Storage storage) {
  const auto &logits = binding.inputs[0], &labels = binding.inputs[1];
  expect_float(binding, logits.dtype, storage);
  expect(binding, labels.dtype == graph::DType::i32, "labels must be i32");
  expect(binding, logits.shape.size() >= 2 && logits.shape.back() >= 1, "there are no classes");
  expect(binding, labels.shape == graph::Shape(logits.shape.begin(), logits.shape.end() - 1), shape_mismatch);
  return {graph::elements(labels.shape), logits.shape.back()};
}

}  // namespace

std::int64_t size_of_elementwise(const Binding& binding, std::size_t inputs, Storage storage) {
  expect_floats(binding, inputs, 1, storage);
  expect_equal_types(binding);
  return graph::elements(binding.inputs[0].shape);
}

AroundDimension sizes_of_bias_activation(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::BiasActivation>(binding);
  expect_floats(binding, op.bias ? 2 : 1, 1, storage);
  const graph::TensorType& x = binding.inputs[0];
  const AroundDimension z = around(binding, x, graph::dimension_of(op.features, x.shape));
  expect(binding, !op.bias || binding.inputs[1].shape == graph::Shape{z.size}, shape_mismatch);
  expect(binding, binding.outputs[0] == binding.inputs[0], shape_mismatch);
  return z;
}

AroundDimension sizes_of_bias_backward(const Binding& binding, Storage storage) {
  expect_floats(binding, 1, 1, storage);
  const graph::TensorType& dz = binding.inputs[0];
  const AroundDimension z =
      around(binding, dz, graph::dimension_of(attributes_of<graph::BiasBackward>(binding).features, dz.shape));
  expect(binding, binding.outputs[0].shape == graph::Shape{z.size}, shape_mismatch);
  return z;
}

PartsSizes sizes_of_split_parts(const Binding& binding) {
  const PartsSizes z = parts_sizes<graph::SplitParts>(binding);
  expect_equal_types(binding);
  return z;
}

PartsSizes sizes_of_join_parts(const Binding& binding) {
  const PartsSizes z = parts_sizes<graph::JoinParts>(binding);
  expect_equal_types(binding);
  return z;
}

PartsSizes sizes_of_slice(const Binding& binding) {
  const auto& op = attributes_of<graph::Slice>(binding);
  const PartsSizes z = parts_sizes<graph::Slice>(binding);
  expect(binding, op.index >= 0 && op.index < op.parts, "there is no such part");
  graph::TensorType part = binding.inputs[0];
  part.shape[static_cast<std::size_t>(op.dimension)] = z.part(op.index).size();
  expect(binding, binding.outputs[0] == part, shape_mismatch);
  return z;
}

ClassSizes sizes_of_cross_entropy(const Binding& binding, Storage storage) {
  expect_operands(binding, 2, 3);
  const ClassSizes z = class_sizes(binding, storage);
  const graph::TensorType scalar{{1}, graph::DType::f32};
  const auto is_scalar = [&](const graph::TensorType& type) { return type == scalar; };
  expect(binding, std::all_of(binding.outputs.begin(), binding.outputs.end(), is_scalar), shape_mismatch);
  return z;
}

ClassSizes sizes_of_cross_entropy_backward(const Binding& binding, Storage storage) {
  expect_operands(binding, 2, 1);
  const ClassSizes z = class_sizes(binding, storage);
  expect(binding, binding.outputs[0] == binding.inputs[0], shape_mismatch);
  return z;
}

LinearCrossEntropySizes sizes_of_linear_cross_entropy(const Binding& binding, Storage storage) {
  expect(binding, binding.inputs.size() == 3, "it needs 3 inputs");
  expect_float(binding, binding.inputs[0].dtype, storage);
  std::vector<graph::TensorType> wanted;
  try {
    wanted = binding.op->infer(binding.inputs);
  } catch (const InputError&) {
    reject(binding, shape_mismatch);
  }
  expect(binding, binding.outputs == wanted, shape_mismatch);
  const graph::Shape& w = binding.inputs[1].shape;
  expect(binding, w[0] >= 1, "there are no classes");
  return {graph::elements(binding.inputs[2].shape), w[1], w[0]};
}

}  // namespace ddlbench::kernels
