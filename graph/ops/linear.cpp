#include "graph/ops/linear.h"

#include "graph/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

double multiply_adds(std::int64_t n, std::int64_t in, std::int64_t out) {
  return 2.0 * static_cast<double>(n) * static_cast<double>(in) * static_cast<double>(out);
}

}  // namespace

std::string Linear::attributes() const {
  return std::string("bias=") + (bias ? "yes" : "no") + " activation=" + std::string(name(activation));
}

std::vector<TensorType> Linear::infer(Types inputs) const {
  require(inputs.size() == (bias ? 3u : 2u), "linear: wrong number of inputs");
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  if (x.size() != 2 || w.size() != 2 || x[1] != w[1])
    throw InputError("linear: weight " + to_string(w) + " does not fit input " + to_string(x));
  if (bias && inputs[2].shape != Shape{w[0]})
    throw InputError("linear: bias " + to_string(inputs[2].shape) + " does not fit weight " + to_string(w));
  return {{{x[0], w[0]}, inputs[0].dtype}};
}

double Linear::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[0].shape[0], inputs[0].shape[1], outputs[0].shape[1]);
}

std::vector<Signature> Linear::signatures(Types) const {
  std::vector<Signature> all{{{sharded(0), replicated()}, {sharded(0)}}, {{replicated(), sharded(0)}, {sharded(1)}}};
  if (bias) {
    all[0].inputs.push_back(replicated());
    all[1].inputs.push_back(sharded(0));
  } else if (activation == Activation::none) {
    all.push_back({{sharded(1), sharded(1)}, {partial_sum()}});
  }
  return all;
}

void Linear::differentiate(Differentiation& d) const {
  TensorId dz = d.output_gradient(0);
  if (activation != Activation::none)
    dz = d.emit("activation_backward", std::make_shared<ActivationBackward>(activation), {dz, d.output(0)},
                Phase::backward_input)[0];
  if (d.needs_gradient(0))
    d.set_gradient(0, d.emit("backward_input", std::make_shared<LinearBackwardInput>(), {dz, d.input(1)},
                             Phase::backward_input)[0]);
  const std::vector<TensorId> gradients =
      d.emit("backward_weight", std::make_shared<LinearBackwardWeight>(bias), {d.input(0), dz}, Phase::backward_weight);
  d.set_gradient(1, gradients[0]);
  if (bias) d.set_gradient(2, gradients[1]);
}

std::vector<OpPtr> Linear::split_epilogue() const {
  if (!bias) return {};
  return {std::make_shared<Linear>(false, Activation::none), std::make_shared<BiasActivation>(activation)};
}

std::vector<TensorType> LinearBackwardInput::infer(Types inputs) const {
  return {{{inputs[0].shape.at(0), inputs[1].shape.at(1)}, inputs[0].dtype}};
}

double LinearBackwardInput::flops(Types inputs, Types outputs) const {
  return multiply_adds(inputs[0].shape[0], inputs[0].shape[1], outputs[0].shape[1]);
}

std::vector<Signature> LinearBackwardInput::signatures(Types) const {
  return {{{sharded(0), replicated()}, {sharded(0)}},
          {{sharded(1), sharded(0)}, {partial_sum()}},
          {{replicated(), sharded(1)}, {sharded(1)}}};
}

std::string LinearBackwardWeight::attributes() const {
  return std::string("bias=") + (bias ? "yes" : "no");
}

std::vector<TensorType> LinearBackwardWeight::infer(Types inputs) const {
  const std::int64_t out = inputs[1].shape.at(1);
  std::vector<TensorType> types{{{out, inputs[0].shape.at(1)}, inputs[0].dtype}};
  if (bias) types.push_back({{out}, inputs[0].dtype});
  return types;
}

double LinearBackwardWeight::flops(Types inputs, Types) const {
  return multiply_adds(inputs[0].shape[0], inputs[0].shape[1], inputs[1].shape[1]);
}

std::vector<Signature> LinearBackwardWeight::signatures(Types) const {
  std::vector<Signature> all{{{sharded(0), sharded(0)}, {partial_sum()}},
                             {{replicated(), sharded(1)}, {sharded(0)}},
                             {{sharded(1), replicated()}, {sharded(1)}}};
  if (bias) {
    all[0].outputs.push_back(partial_sum());
    all[1].outputs.push_back(sharded(0));
    all[2].outputs.push_back(replicated());
  }
  return all;
}

}  // namespace ddlbench::graph
