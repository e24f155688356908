#include "graph/ops/embedding.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {

std::vector<TensorType> Embedding::infer(Types inputs) const {
  const Shape &tokens = inputs[0].shape, &table = inputs[1].shape;
  if (inputs[0].dtype != DType::i32 || tokens.size() != 2 || table.size() != 2)
    throw InputError(
        fmt::format("embedding: tokens {} and table {} should be i32[batch x positions] and [tokens x features]",
                    to_string(inputs[0]), to_string(inputs[1])));
  return {{{tokens[0], tokens[1], table[1]}, inputs[1].dtype}};
}

std::vector<Signature> Embedding::signatures(Types) const {
  return {{{sharded(0), replicated()}, {sharded(0)}}, {{replicated(), sharded(1)}, {sharded(2)}}};
}

void Embedding::differentiate(Differentiation& d) const {
  d.backward_weight(std::make_shared<EmbeddingBackwardWeight>(d.input_type(1).shape[0]),
                    {d.input(0), d.output_gradient(0)});
}

std::vector<TensorType> EmbeddingBackwardWeight::infer(Types inputs) const {
  require(inputs.size() == 2 && inputs[1].shape.size() == 3, "embedding_backward_weight: wrong inputs");
  return {{{vocabulary, inputs[1].shape[2]}, inputs[1].dtype}};
}

double EmbeddingBackwardWeight::flops(Types inputs, Types) const {
  return static_cast<double>(elements(inputs[1].shape));
}

std::vector<Signature> EmbeddingBackwardWeight::signatures(Types) const {
  return {{{sharded(0), sharded(0)}, {partial_sum()}}, {{replicated(), sharded(2)}, {sharded(1)}}};
}

std::vector<TensorType> AddPositions::infer(Types inputs) const {
  const Shape& x = inputs[0].shape;
  if (x.size() != 3 || inputs[1].shape != Shape{x[1], x[2]})
    throw InputError(fmt::format("positions {} do not fit {}, which is batch x positions x features",
                                 to_string(inputs[1].shape), to_string(x)));
  require_one_dtype("add_positions", inputs);
  return {inputs[0]};
}

std::vector<Signature> AddPositions::signatures(Types) const {
  return {{{sharded(0), replicated()}, {sharded(0)}}, {{sharded(2), sharded(1)}, {sharded(2)}}};
}

void AddPositions::differentiate(Differentiation& d) const {
  const TensorId dy = d.output_gradient(0);
  if (d.needs_gradient(0)) d.set_gradient(0, dy);
  d.backward_weight(std::make_shared<AddPositionsBackwardWeight>(), {dy});
}

std::vector<TensorType> AddPositionsBackwardWeight::infer(Types inputs) const {
  const Shape& dy = inputs[0].shape;
  require(dy.size() == 3, "add_positions_backward_weight: dy is batch x positions x features");
  return {{{dy[1], dy[2]}, inputs[0].dtype}};
}

std::vector<Signature> AddPositionsBackwardWeight::signatures(Types) const {
  return {{{sharded(0)}, {partial_sum()}}, {{sharded(2)}, {sharded(1)}}};
}

}  // namespace ddlbench::graph
