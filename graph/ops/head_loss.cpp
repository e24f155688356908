#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/loss.h"

namespace ddlbench::graph {
namespace {

const TensorType scalar{{1}, DType::f32};

void require_head(std::string_view op, Types inputs) {
  require(inputs.size() == 3, std::string(op) + ": wrong number of inputs");
  const Shape &x = inputs[0].shape, &w = inputs[1].shape;
  if (x.size() < 2 || w.size() != 2 || x.back() != w[1] || inputs[0].dtype != inputs[1].dtype)
    throw InputError(std::string(op) + ": weight " + to_string(inputs[1]) + " does not fit input " +
                     to_string(inputs[0]));
  if (inputs[2].shape != Shape(x.begin(), x.end() - 1) || inputs[2].dtype != DType::i32)
    throw InputError(std::string(op) + ": labels " + to_string(inputs[2]) + " do not fit input " +
                     to_string(inputs[0]));
}

/// So many products of the head's size, and so many operations per logit.
double work(Types inputs, double products, double per_logit) {
  const auto vocabulary = static_cast<double>(inputs[1].shape[0]), hidden = static_cast<double>(inputs[1].shape[1]);
  const auto logits = static_cast<double>(elements(inputs[2].shape)) * vocabulary;
  return products * 2 * hidden * logits + per_logit * logits;
}

std::vector<Signature> by_batch(std::vector<Placement> outputs) {
  return {{{sharded(0), replicated(), sharded(0)}, std::move(outputs)}};
}

}  // namespace

std::vector<TensorType> HeadLoss::infer(Types inputs) const {
  require_head(kind(), inputs);
  return {scalar, scalar, scalar};
}

double HeadLoss::flops(Types inputs, Types) const {
  return work(inputs, 1, 5);
}

std::vector<Signature> HeadLoss::signatures(Types) const {
  return by_batch({partial_sum(), partial_sum(), partial_sum()});
}

std::optional<Indices> HeadLoss::indices(Types inputs) const {
  return Indices{2, inputs[1].shape[0], true};
}

std::optional<Indices> HeadLossAndGradients::indices(Types inputs) const {
  return Indices{2, inputs[1].shape[0], true};
}

void HeadLoss::differentiate(Differentiation& d) const {
  if (d.halves() == Halves::together && d.needs_gradient(0) && d.needs_gradient(1)) {
    const std::vector<TensorId> gradients = d.replace(std::make_shared<HeadLossAndGradients>(label_smoothing));
    d.set_gradient(0, gradients[0]);
    d.set_gradient(1, gradients[1]);
    return;
  }
  const std::vector<TensorId> inputs{d.input(0), d.input(1), d.input(2)};
  if (d.needs_gradient(0))
    d.set_gradient(0, d.emit("backward_input", std::make_shared<HeadLossBackwardInput>(label_smoothing), inputs,
                             Phase::backward_input)[0]);
  if (d.needs_gradient(1))
    d.set_gradient(1, d.emit("backward_weight", std::make_shared<HeadLossBackwardWeight>(label_smoothing), inputs,
                             Phase::backward_weight)[0]);
}

std::vector<TensorType> HeadLossAndGradients::infer(Types inputs) const {
  require_head(kind(), inputs);
  return {scalar, scalar, scalar, inputs[0], inputs[1]};
}

double HeadLossAndGradients::flops(Types inputs, Types) const {
  return work(inputs, 3, 8);
}

std::vector<Signature> HeadLossAndGradients::signatures(Types) const {
  return by_batch({partial_sum(), partial_sum(), partial_sum(), sharded(0), partial_sum()});
}

std::vector<TensorType> HeadLossBackwardInput::infer(Types inputs) const {
  require_head(kind(), inputs);
  return {inputs[0]};
}

double HeadLossBackwardInput::flops(Types inputs, Types) const {
  return work(inputs, 2, 6);
}

std::vector<Signature> HeadLossBackwardInput::signatures(Types) const {
  return by_batch({sharded(0)});
}

std::vector<TensorType> HeadLossBackwardWeight::infer(Types inputs) const {
  require_head(kind(), inputs);
  return {inputs[1]};
}

double HeadLossBackwardWeight::flops(Types inputs, Types) const {
  return work(inputs, 2, 6);
}

std::vector<Signature> HeadLossBackwardWeight::signatures(Types) const {
  return by_batch({partial_sum()});
}

}  // namespace ddlbench::graph
