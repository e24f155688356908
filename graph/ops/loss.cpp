#include "graph/ops/loss.h"

#include "graph/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {

std::vector<TensorType> CrossEntropy::infer(Types inputs) const {
  require(inputs.size() == 2, "cross_entropy: wrong number of inputs");
  const Shape& logits = inputs[0].shape;
  if (logits.size() < 2 || inputs[1].shape != Shape(logits.begin(), logits.end() - 1) || inputs[1].dtype != DType::i32)
    throw InputError("cross_entropy: labels " + to_string(inputs[1]) + " do not fit logits " + to_string(inputs[0]));
  return {{{1}, DType::f32}, {{1}, DType::f32}};
}

/// Per logit: maximum, subtraction, exponential, sum, comparison.
double CrossEntropy::flops(Types inputs, Types) const {
  return 5.0 * static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> CrossEntropy::signatures(Types) const {
  return {{{sharded(0), sharded(0)}, {partial_sum(), partial_sum()}}};
}

void CrossEntropy::differentiate(Differentiation& d) const {
  d.set_gradient(0, d.emit("backward_input", std::make_shared<CrossEntropyBackward>(), {d.input(0), d.input(1)},
                           Phase::backward_input)[0]);
}

std::vector<TensorType> CrossEntropyBackward::infer(Types inputs) const {
  return {inputs[0]};
}

double CrossEntropyBackward::flops(Types inputs, Types) const {
  return 6.0 * static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> CrossEntropyBackward::signatures(Types) const {
  return {{{sharded(0), sharded(0)}, {sharded(0)}}};
}

}  // namespace ddlbench::graph
