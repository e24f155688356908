#include "kernels/sizes/transformer.h"

#include "graph/ops/attention.h"
#include "kernels/binding.h"

namespace ddlbench::kernels {
namespace {

graph::Shape leading(const graph::Shape& shape) {
  return {shape.begin(), shape.end() - 1};
}

EmbeddingSizes embedding(const Binding& binding, const graph::TensorType& tokens, const graph::TensorType& table,
                         const graph::TensorType& y, Storage storage) {
  expect_float(binding, table.dtype, storage);
  expect(binding, tokens.dtype == graph::DType::i32 && y.dtype == table.dtype,
         "tokens must be i32, and features must have one type");
  expect(binding, table.shape.size() == 2 && !y.shape.empty() && leading(y.shape) == tokens.shape, shape_mismatch);
  expect(binding, y.shape.back() == table.shape[1], shape_mismatch);
  return {graph::elements(tokens.shape), table.shape[0], table.shape[1]};
}

PositionSizes positions(const Binding& binding, const graph::TensorType& x, const graph::TensorType& p) {
  expect(binding, x.shape.size() == 3 && p.shape == graph::Shape{x.shape[1], x.shape[2]}, shape_mismatch);
  return {x.shape[0], graph::elements(p.shape)};
}

NormSizes norm(const Binding& binding, const graph::TensorType& x, const graph::TensorType& features,
               const graph::TensorType& mean, const graph::TensorType& rstd, Storage storage) {
  expect_float(binding, x.dtype, storage);
  expect(binding, features.dtype == x.dtype && mean.dtype == graph::DType::f32,
         "rows and features must have the same type, and statistics must be f32");
  expect(binding, x.shape.size() >= 2 && features.shape == graph::Shape{x.shape.back()}, shape_mismatch);
  expect(binding, mean.shape == leading(x.shape) && rstd == mean, shape_mismatch);
  return {graph::elements(mean.shape), x.shape.back()};
}

AttentionSizes attention(const Binding& binding, std::int64_t head_size, const graph::TensorType& qkv,
                         const graph::TensorType& y, const graph::TensorType& logsumexp, Storage storage) {
  expect_float(binding, qkv.dtype, storage);
  expect(binding, y.dtype == qkv.dtype && logsumexp.dtype == graph::DType::f32,
         "y must have the type of qkv, and logsumexp must be f32");
  expect(binding, head_size >= 1 && qkv.shape.size() == 3 && y.shape.size() == 3, shape_mismatch);
  const AttentionSizes z{qkv.shape[0], qkv.shape[1], y.shape[2] / head_size, head_size};
  expect(binding, qkv.shape[2] == z.qkv_row() && y.shape == graph::Shape{z.batch, z.positions, z.y_row()},
         shape_mismatch);
  expect(binding, logsumexp.shape == graph::Shape{z.batch, z.heads, z.positions}, shape_mismatch);
  return z;
}

}  // namespace

EmbeddingSizes sizes_of_embedding(const Binding& binding, Storage storage) {
  expect_operands(binding, 2, 1);
  return embedding(binding, binding.inputs[0], binding.inputs[1], binding.outputs[0], storage);
}

EmbeddingSizes sizes_of_embedding_backward_weight(const Binding& binding, Storage storage) {
  expect_operands(binding, 2, 1);
  return embedding(binding, binding.inputs[0], binding.outputs[0], binding.inputs[1], storage);
}

PositionSizes sizes_of_add_positions(const Binding& binding, Storage storage) {
  expect_floats(binding, 2, 1, storage);
  expect(binding, binding.outputs[0] == binding.inputs[0], shape_mismatch);
  return positions(binding, binding.inputs[0], binding.inputs[1]);
}

PositionSizes sizes_of_add_positions_backward_weight(const Binding& binding, Storage storage) {
  expect_floats(binding, 1, 1, storage);
  return positions(binding, binding.inputs[0], binding.outputs[0]);
}

NormSizes sizes_of_layer_norm(const Binding& binding, Storage storage) {
  expect_operands(binding, 3, 3);
  expect_no_accumulation(binding);
  expect(binding, binding.inputs[2] == binding.inputs[1] && binding.outputs[0] == binding.inputs[0], shape_mismatch);
  return norm(binding, binding.inputs[0], binding.inputs[1], binding.outputs[1], binding.outputs[2], storage);
}

NormSizes sizes_of_layer_norm_backward_input(const Binding& binding, Storage storage) {
  expect_operands(binding, 5, 1);
  expect(binding, binding.inputs[0] == binding.inputs[1] && binding.outputs[0] == binding.inputs[1], shape_mismatch);
  return norm(binding, binding.inputs[1], binding.inputs[2], binding.inputs[3], binding.inputs[4], storage);
}

NormSizes sizes_of_layer_norm_backward_weight(const Binding& binding, Storage storage) {
  expect_operands(binding, 4, 2);
  expect(binding, binding.inputs[0] == binding.inputs[1] && binding.outputs[0] == binding.outputs[1], shape_mismatch);
  return norm(binding, binding.inputs[1], binding.outputs[0], binding.inputs[2], binding.inputs[3], storage);
}

AttentionSizes sizes_of_attention(const Binding& binding, Storage storage) {
  expect_operands(binding, 1, 2);
  expect_no_accumulation(binding);
  return attention(binding, attributes_of<graph::Attention>(binding).head_size, binding.inputs[0], binding.outputs[0],
                   binding.outputs[1], storage);
}

AttentionSizes sizes_of_attention_backward(const Binding& binding, Storage storage) {
  expect_operands(binding, 4, 1);
  expect_no_accumulation(binding);
  expect(binding, binding.inputs[0] == binding.inputs[2] && binding.outputs[0] == binding.inputs[1], shape_mismatch);
  return attention(binding, attributes_of<graph::AttentionBackward>(binding).head_size, binding.inputs[1],
                   binding.inputs[2], binding.inputs[3], storage);
}

}  // namespace ddlbench::kernels
