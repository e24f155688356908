#include "kernels/cuda/dnn/attention.h"

/// The graph patterns that cuDNN recognises as fused attention ("Fused Flash Attention fprop/bprop" in its developer
/// guide).
namespace ddlbench::kernels::cuda::dnn {
namespace {

Dims swapped(Dims of) {
  std::swap(of[2], of[3]);
  return of;
}

struct Shapes {
  Shapes(const AttentionSizes& z, graph::DType dtype)
      : type(data_type(dtype)),
        rows{z.batch, z.heads, z.positions, z.head_size},
        parts{z.positions * z.qkv_row(), 3 * z.head_size, z.qkv_row(), 1},
        results{z.positions * z.y_row(), z.head_size, z.y_row(), 1},
        square{z.batch, z.heads, z.positions, z.positions},
        column{z.batch, z.heads, z.positions, 1} {}

  cudnnDataType_t type;
  Dims rows;            ///< of query, key, value, y
  Dims parts, results;  ///< strides of a part of qkv, and of y
  Dims square, column;  ///< of scores, and of one number per row
};

/// Replaces the scores of keys that a position does not see by the scalar id_hidden.
Descriptor causal(Graph& graph, const Shapes& shapes, const Descriptor& scores) {
  const Descriptor row = graph.virtual_tensor(shapes.square, CUDNN_DATA_INT32);
  const Descriptor column = graph.virtual_tensor(shapes.square, CUDNN_DATA_INT32);
  const Descriptor seen = graph.virtual_tensor(shapes.square, CUDNN_DATA_BOOLEAN);
  const Descriptor masked = graph.virtual_tensor(shapes.square, CUDNN_DATA_FLOAT);
  graph.index(scores, 2, row);
  graph.index(scores, 3, column);
  graph.at_least(row, column, seen);
  graph.select(seen, scores, graph.scalar(id_hidden, 4), masked);
  return masked;
}

}  // namespace

Graph graph_of_attention(const AttentionSizes& sizes, graph::DType dtype) {
  const Shapes shapes(sizes, dtype);
  Graph graph;
  const auto square = [&] { return graph.virtual_tensor(shapes.square, CUDNN_DATA_FLOAT); };
  const auto column = [&] { return graph.virtual_tensor(shapes.column, CUDNN_DATA_FLOAT); };
  const Descriptor query = graph.tensor(id_query, shapes.rows, shapes.parts, shapes.type);
  const Descriptor key = graph.tensor(id_key, swapped(shapes.rows), swapped(shapes.parts), shapes.type);
  const Descriptor value = graph.tensor(id_value, shapes.rows, shapes.parts, shapes.type);
  const Descriptor y = graph.tensor(id_result, shapes.rows, shapes.results, shapes.type);
  const Descriptor statistics =
      graph.tensor(id_statistics, shapes.column, dense_strides(shapes.column), CUDNN_DATA_FLOAT);

  const Descriptor products = square(), scaled = square();
  graph.multiply(query, key, products);
  graph.pointwise(CUDNN_POINTWISE_MUL, products, graph.scalar(id_scale, 4), scaled);
  const Descriptor scores = causal(graph, shapes, scaled);
  const Descriptor maximum = column(), sum = column(), logarithm = column();
  const Descriptor differences = square(), exponentials = square();
  graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, maximum);
  graph.pointwise(CUDNN_POINTWISE_SUB, scores, maximum, differences);
  graph.pointwise(CUDNN_POINTWISE_EXP, differences, exponentials);
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, exponentials, sum);
  graph.pointwise(CUDNN_POINTWISE_LOG, sum, logarithm);
  graph.pointwise(CUDNN_POINTWISE_ADD, maximum, logarithm, statistics);
  const Descriptor softmax = graph.virtual_tensor(shapes.square, shapes.type);
  graph.pointwise(CUDNN_POINTWISE_DIV, exponentials, sum, softmax);
  graph.multiply(softmax, value, y);
  return graph;
}

Graph graph_of_attention_backward(const AttentionSizes& sizes, graph::DType dtype) {
  const Shapes shapes(sizes, dtype);
  Graph graph;
  const auto square = [&] { return graph.virtual_tensor(shapes.square, CUDNN_DATA_FLOAT); };
  const auto part = [&](AttentionId id) { return graph.tensor(id, shapes.rows, shapes.parts, shapes.type); };
  const auto transposed = [&](AttentionId id) {
    return graph.tensor(id, swapped(shapes.rows), swapped(shapes.parts), shapes.type);
  };
  const auto result = [&](AttentionId id) { return graph.tensor(id, shapes.rows, shapes.results, shapes.type); };
  const auto numbers = [&](AttentionId id) {
    return graph.tensor(id, shapes.column, dense_strides(shapes.column), CUDNN_DATA_FLOAT);
  };
  const auto flipped = [&](const Descriptor& x) {
    const Descriptor made = graph.virtual_tensor(shapes.square, swapped(dense_strides(shapes.square)), shapes.type);
    graph.reshape(x, made);
    return made;
  };
  const Descriptor query = part(id_query), key = transposed(id_key), value = transposed(id_value);
  const Descriptor dy = result(id_dy), sums = numbers(id_sums);
  const Descriptor scale = graph.scalar(id_scale, 4);

  const Descriptor shares = graph.virtual_tensor(shapes.rows, CUDNN_DATA_FLOAT);
  const Descriptor means = graph.virtual_tensor(shapes.column, CUDNN_DATA_FLOAT);
  graph.pointwise(CUDNN_POINTWISE_MUL, dy, result(id_result), shares);
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, shares, means);
  graph.pointwise(CUDNN_POINTWISE_MUL, means, graph.scalar(id_one, 4), sums);

  const Descriptor products = square(), scaled = square(), differences = square(), softmax = square();
  graph.multiply(query, key, products);
  graph.pointwise(CUDNN_POINTWISE_MUL, products, scale, scaled);
  graph.pointwise(CUDNN_POINTWISE_SUB, scaled, numbers(id_statistics), differences);
  graph.pointwise(CUDNN_POINTWISE_EXP, causal(graph, shapes, differences), softmax);
  graph.multiply(flipped(softmax), dy, part(id_value_gradient));

  const Descriptor from_values = square(), centred = square(), weighted = square();
  const Descriptor gradient = graph.virtual_tensor(shapes.square, shapes.type);
  graph.multiply(dy, value, from_values);
  graph.pointwise(CUDNN_POINTWISE_SUB, from_values, sums, centred);
  graph.pointwise(CUDNN_POINTWISE_MUL, centred, softmax, weighted);
  graph.pointwise(CUDNN_POINTWISE_MUL, weighted, scale, gradient);
  graph.multiply(flipped(gradient), query, part(id_key_gradient));
  const Descriptor rows_of_key = graph.virtual_tensor(shapes.rows, shapes.parts, shapes.type);
  graph.reshape(key, rows_of_key);
  graph.multiply(gradient, rows_of_key, part(id_query_gradient));
  return graph;
}

}  // namespace ddlbench::kernels::cuda::dnn
