#include "graph/ops/loss.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

const TensorType scalar{{1}, DType::f32};

void require_labels(std::string_view op, Types inputs) {
  require(inputs.size() == 2, std::string(op) + ": wrong number of inputs");
  const Shape& scores = inputs[0].shape;
  if (scores.size() < 2 || inputs[1].shape != Shape(scores.begin(), scores.end() - 1) || inputs[1].dtype != DType::i32)
    throw InputError(fmt::format("{}: labels {} do not fit logits {}", op, to_string(inputs[1]), to_string(inputs[0])));
}

}  // namespace

std::vector<TensorType> LabelLoss::infer(Types inputs) const {
  require_labels(kind(), inputs);
  return {scalar, scalar, scalar};
}

std::vector<Signature> LabelLoss::signatures(Types) const {
  return {{{sharded(0), sharded(0)}, {partial_sum(), partial_sum(), partial_sum()}}};
}

std::optional<Indices> LabelLoss::indices(Types inputs) const {
  return Indices{1, inputs[0].shape.back(), true};
}

std::vector<TensorType> LabelLossBackward::infer(Types inputs) const {
  require_labels(kind(), inputs);
  return {inputs[0]};
}

std::vector<Signature> LabelLossBackward::signatures(Types) const {
  return {{{sharded(0), sharded(0)}, {sharded(0)}}};
}

void CrossEntropy::differentiate(Differentiation& d) const {
  d.backward_input(std::make_shared<CrossEntropyBackward>(label_smoothing), {d.input(0), d.input(1)});
}

std::vector<TensorType> MeanSquaredError::infer(Types inputs) const {
  const std::vector<TensorType> types = LabelLoss::infer(inputs);
  if (inputs[0].shape.size() != 2)
    throw InputError("mean_squared_error: scores are [N, C], but these are " + to_string(inputs[0]));
  return types;
}

void MeanSquaredError::differentiate(Differentiation& d) const {
  d.backward_input(std::make_shared<MeanSquaredErrorBackward>(), {d.input(0), d.input(1)});
}

}  // namespace ddlbench::graph
