#include "base/error.h"

#include <fmt/core.h>
#include "graph/graph.h"
#include "graph/ops/loss.h"

namespace ddlbench::graph {
namespace {

void require_inputs(std::string_view op, Types inputs) {
  require(inputs.size() == 3, std::string(op) + ": wrong number of inputs");
  const Shape &x = inputs[0].shape, &w = inputs[1].shape;
  if (x.size() < 2 || w.size() != 2 || x.back() != w[1] || inputs[0].dtype != inputs[1].dtype)
    throw InputError(
        fmt::format("{}: weight {} does not fit input {}", op, to_string(inputs[1]), to_string(inputs[0])));
  if (inputs[2].shape != Shape(x.begin(), x.end() - 1) || inputs[2].dtype != DType::i32)
    throw InputError(fmt::format("{}: labels {} do not fit input {}", op, to_string(inputs[2]), to_string(inputs[0])));
}

}  // namespace

std::vector<TensorType> LinearCrossEntropyOp::infer(Types inputs) const {
  require_inputs(kind(), inputs);
  std::vector<TensorType> types;
  if (computes.losses) types.insert(types.end(), 3, {{1}, DType::f32});
  if (computes.dx) types.push_back(inputs[0]);
  if (computes.dw) types.push_back(inputs[1]);
  return types;
}

/// One product for the logits and one for each gradient. For each logit: five for the losses, six for gradients, eight
/// for both.
double LinearCrossEntropyOp::flops(Types inputs, Types) const {
  const auto vocabulary = static_cast<double>(inputs[1].shape[0]), hidden = static_cast<double>(inputs[1].shape[1]);
  const auto logits = static_cast<double>(elements(inputs[2].shape)) * vocabulary;
  const bool gradients = computes.dx || computes.dw;
  const int products = 1 + (computes.dx ? 1 : 0) + (computes.dw ? 1 : 0);
  return products * 2 * hidden * logits + (computes.losses ? (gradients ? 8 : 5) : 6) * logits;
}

std::vector<Signature> LinearCrossEntropyOp::signatures(Types) const {
  Signature by_batch{{sharded(0), replicated(), sharded(0)}, {}};
  if (computes.losses) by_batch.outputs.insert(by_batch.outputs.end(), 3, partial_sum());
  if (computes.dx) by_batch.outputs.push_back(sharded(0));
  if (computes.dw) by_batch.outputs.push_back(partial_sum());
  return {by_batch};
}

std::optional<Indices> LinearCrossEntropyOp::indices(Types inputs) const {
  if (!computes.losses) return {};
  return Indices{2, inputs[1].shape[0], true};
}

void LinearCrossEntropy::differentiate(Differentiation& d) const {
  if (d.halves() == Halves::together && d.needs_gradient(0) && d.needs_gradient(1)) {
    const std::vector<TensorId> gradients =
        d.replace(std::make_shared<LinearCrossEntropyAndGradients>(label_smoothing));
    d.set_gradient(0, gradients[0]);
    d.set_gradient(1, gradients[1]);
    return;
  }
  const std::vector<TensorId> inputs{d.input(0), d.input(1), d.input(2)};
  d.backward_input(std::make_shared<LinearCrossEntropyBackwardInput>(label_smoothing), inputs);
  if (d.needs_gradient(1))
    d.backward_weight(std::make_shared<LinearCrossEntropyBackwardWeight>(label_smoothing), inputs);
}

}  // namespace ddlbench::graph
