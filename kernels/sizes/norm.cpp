#include "kernels/sizes/norm.h"

#include "graph/ops/batch_norm.h"
#include "graph/ops/dropout.h"

namespace ddlbench::kernels {
namespace {

using graph::DType;
using graph::Shape;
using graph::TensorType;

void expect_block(const Binding& binding, const BatchNormSizes& z) {
  expect(binding, z.channels % z.block == 0, "the block does not divide the channels");
}

/// Returns sizes of x[N, C, …] with `moments` of groups of `samples` samples. If `samples` is 0, all samples on this
/// rank are one group.
BatchNormSizes grouped(const Binding& binding, const TensorType& x, const TensorType& moments, std::int64_t samples,
                       Storage storage) {
  expect_float(binding, x.dtype, storage);
  expect(binding, moments.dtype == DType::f32, "moments must be f32");
  expect(binding, x.shape.size() >= 2 && moments.shape.size() == 3 && samples >= 0, shape_mismatch);
  BatchNormSizes z{moments.shape[0], samples == 0 ? x.shape[0] : samples, x.shape[1], 1, x.channel_block};
  for (std::size_t d = 2; d < x.shape.size(); ++d) z.inner *= x.shape[d];
  expect_block(binding, z);
  expect(binding, samples > 0 || z.groups == 1, "the whole batch must be one group");
  expect(binding,
         moments.shape == Shape{z.groups, graph::moment_rows, z.channels} && x.shape[0] == z.groups * z.samples,
         shape_mismatch);
  return z;
}

void expect_per_channel(const Binding& binding, const TensorType& type, std::int64_t channels, DType dtype) {
  expect(binding, type.shape == Shape{channels}, shape_mismatch);
  expect(binding, type.dtype == dtype, "gamma and beta must have the type of x, and statistics must be f32");
}

void expect_sums(const Binding& binding, const TensorType& sums, const BatchNormSizes& z) {
  expect(binding, sums.dtype == DType::f32, "sums must be f32");
  expect(binding, sums.shape == Shape{z.groups, 2, z.channels}, shape_mismatch);
}

void expect_equal_types_of(const Binding& binding, const TensorType& a, const TensorType& b) {
  expect(binding, a == b, "x, y and their gradients must have the same type");
}

/// Returns sizes of an input with `kinds` values for each group and channel: [G, kinds, C].
BatchNormSizes kept(const Binding& binding, std::int64_t kinds) {
  const TensorType& type = binding.inputs[0];
  expect(binding, type.dtype == DType::f32, "the values kept of a group must be f32");
  expect(binding, type.shape.size() == 3 && type.shape[1] == kinds, shape_mismatch);
  return {type.shape[0], 0, type.shape[2], 1};
}

}  // namespace

BatchNormSizes as_columns(BatchNormSizes z) {
  if (z.block == 1) return z;
  require(z.block == z.channels, "the channels must be in one block");
  z.samples *= z.inner;
  z.inner = z.block = 1;
  return z;
}

BatchNormSizes sizes_of_batch_moments(const Binding& binding, Storage storage) {
  expect_operands(binding, 1, 1);
  expect_no_accumulation(binding);
  return grouped(binding, binding.inputs[0], binding.outputs[0], attributes_of<graph::BatchMoments>(binding).samples,
                 storage);
}

BatchNormSizes sizes_of_combine_moments(const Binding& binding) {
  expect_operands(binding, 1, 1);
  expect_no_accumulation(binding);
  const BatchNormSizes z = kept(binding, graph::moment_rows);
  const TensorType whole{{1, graph::moment_rows, z.channels}, DType::f32};
  expect(binding, binding.outputs[0] == whole, shape_mismatch);
  return z;
}

BatchNormSizes sizes_of_batch_norm(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::BatchNorm>(binding);
  expect_operands(binding, op.residual ? 5 : 4, 1);
  expect_no_accumulation(binding);
  const TensorType& x = binding.inputs[0];
  const BatchNormSizes z = grouped(binding, x, binding.inputs[1], op.norm.samples, storage);
  expect_per_channel(binding, binding.inputs[2], z.channels, x.dtype);
  expect_per_channel(binding, binding.inputs[3], z.channels, x.dtype);
  if (op.residual) expect_equal_types_of(binding, binding.inputs[4], x);
  expect_equal_types_of(binding, binding.outputs[0], x);
  return z;
}

BatchNormSizes sizes_of_batch_norm_backward_moments(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::BatchNormBackwardMoments>(binding);
  expect_operands(binding, op.recomputes_z() ? 5 : op.writes_dz() ? 4 : 3, op.writes_dz() ? 2 : 1);
  expect_no_accumulation(binding);
  const TensorType& x = binding.inputs[1];
  expect_equal_types_of(binding, binding.inputs[0], x);
  const BatchNormSizes z = grouped(binding, x, binding.inputs[2], op.norm.samples, storage);
  if (op.recomputes_z())
    for (const std::size_t i : {3, 4}) expect_per_channel(binding, binding.inputs[i], z.channels, x.dtype);
  if (op.writes_dz()) {
    expect_equal_types_of(binding, binding.inputs[3], x);
    expect_equal_types_of(binding, binding.outputs[1], x);
  }
  expect_sums(binding, binding.outputs[0], z);
  return z;
}

BatchNormSizes sizes_of_batch_norm_backward_input(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::BatchNormBackwardInput>(binding);
  const bool masks = op.activation != graph::Activation::none;
  expect_operands(binding, masks ? 6 : 5, 1);
  const TensorType& x = binding.inputs[1];
  expect_equal_types_of(binding, binding.inputs[0], x);
  expect_equal_types_of(binding, binding.outputs[0], x);
  const BatchNormSizes z = grouped(binding, x, binding.inputs[2], op.norm.samples, storage);
  expect_sums(binding, binding.inputs[3], z);
  expect_per_channel(binding, binding.inputs[4], z.channels, x.dtype);
  if (masks) expect_per_channel(binding, binding.inputs[5], z.channels, x.dtype);
  return z;
}

BatchNormSizes sizes_of_batch_norm_inference(const Binding& binding, Storage storage) {
  const auto& op = attributes_of<graph::BatchNormInference>(binding);
  expect_operands(binding, op.residual ? 6 : 5, 1);
  expect_no_accumulation(binding);
  const TensorType& x = binding.inputs[0];
  expect_float(binding, x.dtype, storage);
  expect(binding, x.shape.size() >= 2, shape_mismatch);
  BatchNormSizes z{1, x.shape[0], x.shape[1], 1, x.channel_block};
  for (std::size_t d = 2; d < x.shape.size(); ++d) z.inner *= x.shape[d];
  expect_block(binding, z);
  for (const std::size_t i : {1, 2}) expect_per_channel(binding, binding.inputs[i], z.channels, x.dtype);
  for (const std::size_t i : {3, 4}) expect_per_channel(binding, binding.inputs[i], z.channels, DType::f32);
  if (op.residual) expect_equal_types_of(binding, binding.inputs[5], x);
  expect_equal_types_of(binding, binding.outputs[0], x);
  return z;
}

BatchNormSizes sizes_of_batch_norm_backward_weight(const Binding& binding, Storage storage) {
  expect_operands(binding, 1, 2);
  const BatchNormSizes z = kept(binding, 2);
  expect_float(binding, binding.outputs[0].dtype, storage);
  expect(binding, binding.outputs[0].shape == Shape{z.channels} && binding.outputs[1] == binding.outputs[0],
         shape_mismatch);
  return z;
}

BatchNormSizes sizes_of_observe_moments(const Binding& binding) {
  expect_operands(binding, 1, 2);
  const BatchNormSizes z = kept(binding, graph::moment_rows);
  for (const TensorType& type : binding.outputs) expect_per_channel(binding, type, z.channels, DType::f32);
  return z;
}

std::int64_t size_of_statistic_update(const Binding& binding) {
  expect_f32(binding, 2, 1);
  expect_no_accumulation(binding);
  expect(binding, binding.inputs[1] == binding.inputs[0] && binding.outputs[0] == binding.inputs[0], shape_mismatch);
  return graph::elements(binding.inputs[0].shape);
}

DropoutSizes sizes_of_dropout(const Binding& binding, Storage storage) {
  const graph::DropoutPart& part = attributes_of<graph::Dropout>(binding).part;
  expect_operands(binding, 2, 1);
  const TensorType& x = binding.inputs[0];
  expect_float(binding, x.dtype, storage);
  expect(binding, !x.shape.empty() && binding.outputs[0] == x, shape_mismatch);
  expect(binding, binding.inputs[1] == TensorType{{x.shape[0]}, DType::i32},
         "sample indices must be i32, one for each sample of x");
  DropoutSizes z{x.shape[0], 1, 1, 0, 0};
  const auto dimension = part.size == 0 ? 1 : static_cast<std::size_t>(part.dimension);
  expect(binding, part.size == 0 || (part.dimension >= 1 && dimension < x.shape.size()), "there is no such dimension");
  std::int64_t inner = 1;
  for (std::size_t d = 1; d < x.shape.size(); ++d) {
    if (d < dimension) z.runs *= x.shape[d];
    if (d >= dimension) z.run *= x.shape[d];
    if (d > dimension) inner *= x.shape[d];
  }
  z.stride = part.size == 0 ? z.run : part.size * inner;
  z.offset = part.begin * inner;
  expect(binding, part.begin >= 0 && z.offset + z.run <= z.stride, "the part lies outside of its dimension");
  expect(binding, z.runs * z.stride <= std::int64_t{1} << 34,
         "a sample has more elements than the random number generator has counters");
  return z;
}

std::int64_t size_of_cast(const Binding& binding) {
  expect_operands(binding, 1, 1);
  expect_float(binding, binding.inputs[0].dtype, Storage::any_float);
  expect_float(binding, binding.outputs[0].dtype, Storage::any_float);
  const TensorType &x = binding.inputs[0], &y = binding.outputs[0];
  expect(binding, x.shape == y.shape && x.channel_block == y.channel_block, shape_mismatch);
  return graph::elements(x.shape);
}

}  // namespace ddlbench::kernels
