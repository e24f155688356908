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
  std::vector<TensorType> types(3, {{1}, DType::f32});
  if (gradients) types.insert(types.end(), {inputs[0], inputs[1]});
  return types;
}

/// One product for the logits and one for each gradient. For each logit: five for the losses, eight with gradients.
double LinearCrossEntropyOp::flops(Types inputs, Types) const {
  const auto vocabulary = static_cast<double>(inputs[1].shape[0]), hidden = static_cast<double>(inputs[1].shape[1]);
  const auto logits = static_cast<double>(elements(inputs[2].shape)) * vocabulary;
  return (gradients ? 3 : 1) * 2 * hidden * logits + (gradients ? 8 : 5) * logits;
}

std::vector<Signature> LinearCrossEntropyOp::signatures(Types) const {
  Signature by_batch{{sharded(0), replicated(), sharded(0)}, std::vector(3, partial_sum())};
  if (gradients) by_batch.outputs.insert(by_batch.outputs.end(), {sharded(0), partial_sum()});
  return {by_batch};
}

std::optional<Indices> LinearCrossEntropyOp::indices(Types inputs) const {
  return Indices{2, inputs[1].shape[0], true};
}

void LinearCrossEntropy::differentiate(Differentiation& d) const {
  const std::vector<TensorId> gradients = d.replace(std::make_shared<LinearCrossEntropyAndGradients>(label_smoothing));
  d.set_gradient(0, gradients[0]);
  d.set_gradient(1, gradients[1]);
}

}  // namespace ddlbench::graph
