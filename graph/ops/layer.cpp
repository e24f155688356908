#include "graph/ops/layer.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {

void require_one_dtype(std::string_view op, Types inputs) {
  for (const TensorType& type : inputs) {
    if (type.dtype != inputs[0].dtype)
      throw InputError(fmt::format("{}: {} and {} are of different types", op, to_string(inputs[0]), to_string(type)));
  }
}

std::vector<Signature> layer_signatures(bool bias, Activation activation, int features) {
  std::vector<Signature> all{{{sharded(0), replicated()}, {sharded(0)}},
                             {{replicated(), sharded(0)}, {sharded(features)}}};
  if (bias) {
    all[0].inputs.push_back(replicated());
    all[1].inputs.push_back(sharded(0));
  } else if (activation == Activation::none) {
    all.push_back({{sharded(features), sharded(1)}, {partial_sum()}});
  }
  return all;
}

std::vector<Signature> layer_backward_input_signatures(int features) {
  return {{{sharded(0), replicated()}, {sharded(0)}},
          {{sharded(features), sharded(0)}, {partial_sum()}},
          {{replicated(), sharded(1)}, {sharded(features)}}};
}

std::vector<Signature> layer_backward_weight_signatures(bool bias, int features) {
  std::vector<Signature> all{{{sharded(0), sharded(0)}, {partial_sum()}},
                             {{replicated(), sharded(features)}, {sharded(0)}},
                             {{sharded(features), replicated()}, {sharded(1)}}};
  if (bias) {
    all[0].outputs.push_back(partial_sum());
    all[1].outputs.push_back(sharded(0));
    all[2].outputs.push_back(replicated());
  }
  return all;
}

std::vector<OpPtr> layer_epilogue(OpPtr core, bool bias, Activation activation, Features features) {
  if (!bias && activation == Activation::none) return {};
  return {std::move(core), std::make_shared<BiasActivation>(activation, features, bias)};
}

namespace {

/// Returns the gradient before `activation`, computed from the gradient of output 0 and from output 0, to which the
/// activation was applied.
TensorId gradient_before(Differentiation& d, Activation activation) {
  const TensorId dy = d.output_gradient(0);
  if (activation == Activation::none) return dy;
  return d.emit("activation_backward", std::make_shared<ActivationBackward>(activation), {dy, d.output(0)},
                Phase::backward_input)[0];
}

}  // namespace

TensorId activation_gradient(Differentiation& d, Activation activation) {
  return gradient_before(d, d.is_selected() ? Activation::none : activation);
}

TensorId selected_gradient(Differentiation& d) {
  return gradient_before(d, d.selected_activation());
}

void differentiate_layer(Differentiation& d, Activation activation, OpPtr backward_input, OpPtr backward_weight) {
  const TensorId dz = activation_gradient(d, activation);
  d.backward_input(std::move(backward_input), {dz, d.input(1)});
  d.backward_weight(std::move(backward_weight), {d.input(0), dz});
}

}  // namespace ddlbench::graph
