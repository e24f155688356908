#include "graph/ops/shape.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

/// Returns the number of elements of one index of dimension 1, which are contiguous after flattening.
std::int64_t inner_elements(const Shape& shape) {
  std::int64_t inner = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) inner *= shape[i];
  return inner;
}

}  // namespace

std::vector<TensorType> Flatten::infer(Types inputs) const {
  const Shape& x = inputs[0].shape;
  require(x.size() >= 2, "flatten: the tensor has only a batch dimension");
  return {{{x[0], elements(x) / x[0]}, inputs[0].dtype}};
}

std::vector<Signature> Flatten::signatures(Types inputs) const {
  return {{{sharded(0)}, {sharded(0)}}, {{sharded(1)}, {sharded(1, inner_elements(inputs[0].shape))}}};
}

void Flatten::differentiate(Differentiation& d) const {
  const Shape& x = d.input_type(0).shape;
  d.backward_input(std::make_shared<Unflatten>(Shape(x.begin() + 1, x.end())), {d.output_gradient(0)});
}

std::string Unflatten::attributes() const {
  return "sample=" + to_string(sample);
}

std::vector<TensorType> Unflatten::infer(Types inputs) const {
  Shape shape{inputs[0].shape.at(0)};
  shape.insert(shape.end(), sample.begin(), sample.end());
  require(elements(shape) == elements(inputs[0].shape), "unflatten: the numbers of elements differ");
  return {{shape, inputs[0].dtype}};
}

std::vector<Signature> Unflatten::signatures(Types) const {
  std::int64_t inner = 1;
  for (std::size_t i = 1; i < sample.size(); ++i) inner *= sample[i];
  return {{{sharded(0)}, {sharded(0)}}, {{sharded(1, inner)}, {sharded(1)}}};
}

std::vector<TensorType> Add::infer(Types inputs) const {
  if (inputs.size() != 2 || inputs[0] != inputs[1])
    throw InputError(
        fmt::format("add: the inputs {} and {} must have the same type", to_string(inputs[0]), to_string(inputs[1])));
  return {inputs[0]};
}

std::vector<Signature> Add::signatures(Types inputs) const {
  std::vector<Signature> all = elementwise_signatures(inputs);
  all.insert(all.begin(), {{partial_sum(), partial_sum()}, {partial_sum()}});
  return all;
}

void Add::differentiate(Differentiation& d) const {
  for (int i = 0; i < 2; ++i)
    if (d.needs_gradient(i)) d.set_gradient(i, d.output_gradient(0));
}

std::vector<TensorType> Slice::infer(Types inputs) const {
  TensorType type = inputs[0];
  auto& size = type.shape.at(static_cast<std::size_t>(dimension));
  size = part_of(size, parts, index, unit).size();
  return {type};
}

}  // namespace ddlbench::graph
