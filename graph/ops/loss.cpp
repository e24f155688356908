#include "graph/ops/loss.h"

#include "base/error.h"
#include "base/number.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

const TensorType scalar{{1}, DType::f32};

void require_labels(std::string_view op, Types inputs) {
  require(inputs.size() == 2, std::string(op) + ": wrong number of inputs");
  const Shape& scores = inputs[0].shape;
  if (scores.size() < 2 || inputs[1].shape != Shape(scores.begin(), scores.end() - 1) || inputs[1].dtype != DType::i32)
    throw InputError(std::string(op) + ": labels " + to_string(inputs[1]) + " do not fit logits " +
                     to_string(inputs[0]));
}

double per_score(double operations, Types inputs) {
  return operations * static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> by_batch(std::vector<Placement> outputs) {
  return {{{sharded(0), sharded(0)}, std::move(outputs)}};
}

}  // namespace

std::string SmoothedLoss::attributes() const {
  return "label_smoothing=" + to_text(label_smoothing);
}

std::vector<TensorType> CrossEntropy::infer(Types inputs) const {
  require_labels(kind(), inputs);
  return {scalar, scalar, scalar};
}

/// Per logit: maximum, subtraction, exponential, sum, comparison.
double CrossEntropy::flops(Types inputs, Types) const {
  return per_score(5, inputs);
}

std::vector<Signature> CrossEntropy::signatures(Types) const {
  return by_batch({partial_sum(), partial_sum(), partial_sum()});
}

std::optional<Indices> CrossEntropy::indices(Types inputs) const {
  return Indices{1, inputs[0].shape.back(), true};
}

void CrossEntropy::differentiate(Differentiation& d) const {
  auto op = std::make_shared<CrossEntropyBackward>(label_smoothing);
  d.set_gradient(0, d.emit("backward_input", std::move(op), {d.input(0), d.input(1)}, Phase::backward_input)[0]);
}

std::vector<TensorType> CrossEntropyBackward::infer(Types inputs) const {
  require_labels(kind(), inputs);
  return {inputs[0]};
}

double CrossEntropyBackward::flops(Types inputs, Types) const {
  return per_score(6, inputs);
}

std::vector<Signature> CrossEntropyBackward::signatures(Types) const {
  return by_batch({sharded(0)});
}

std::vector<TensorType> MeanSquaredError::infer(Types inputs) const {
  require_labels(kind(), inputs);
  if (inputs[0].shape.size() != 2)
    throw InputError("mean_squared_error: scores are [N, C], but these are " + to_string(inputs[0]));
  return {scalar, scalar, scalar};
}

/// Per score: subtraction, square, sum, comparison.
double MeanSquaredError::flops(Types inputs, Types) const {
  return per_score(4, inputs);
}

std::vector<Signature> MeanSquaredError::signatures(Types) const {
  return by_batch({partial_sum(), partial_sum(), partial_sum()});
}

std::optional<Indices> MeanSquaredError::indices(Types inputs) const {
  return Indices{1, inputs[0].shape.back(), true};
}

void MeanSquaredError::differentiate(Differentiation& d) const {
  auto op = std::make_shared<MeanSquaredErrorBackward>();
  d.set_gradient(0, d.emit("backward_input", std::move(op), {d.input(0), d.input(1)}, Phase::backward_input)[0]);
}

std::vector<TensorType> MeanSquaredErrorBackward::infer(Types inputs) const {
  require_labels(kind(), inputs);
  return {inputs[0]};
}

double MeanSquaredErrorBackward::flops(Types inputs, Types) const {
  return per_score(2, inputs);
}

std::vector<Signature> MeanSquaredErrorBackward::signatures(Types) const {
  return by_batch({sharded(0)});
}

}  // namespace ddlbench::graph
