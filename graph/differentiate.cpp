#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/activation.h"
#include "graph/ops/shape.h"

namespace ddlbench::graph {
namespace {

/// Returns the only node of the model that reads `tensor`, if it reads it once and as its first input; otherwise
/// `absent`.
NodeId only_reader(const Graph& graph, TensorId tensor) {
  NodeId reader = absent;
  const std::size_t nodes = model_nodes(graph);
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::vector<TensorId>& inputs = graph.nodes[i].inputs;
    const auto reads = std::count(inputs.begin(), inputs.end(), tensor);
    if (reads == 0) continue;
    if (reads > 1 || reader != absent || inputs[0] != tensor) return absent;
    reader = static_cast<NodeId>(i);
  }
  return reader;
}

}  // namespace

Differentiation::Differentiation(Graph& graph, NodeId node, std::span<const TensorId> output_gradients,
                                 const std::vector<bool>& requires_grad)
    : graph_(graph),
      node_(node),
      requires_grad_(requires_grad),
      output_gradients_(output_gradients.begin(), output_gradients.end()),
      input_gradients_(graph.nodes[static_cast<std::size_t>(node)].inputs.size(), absent) {}

TensorId Differentiation::input(int index) const {
  return graph_.nodes[static_cast<std::size_t>(node_)].inputs.at(static_cast<std::size_t>(index));
}

TensorId Differentiation::output(int index) const {
  return graph_.nodes[static_cast<std::size_t>(node_)].outputs.at(static_cast<std::size_t>(index));
}

const TensorType& Differentiation::input_type(int index) const {
  return graph_.tensors[static_cast<std::size_t>(input(index))].type;
}

TensorId Differentiation::output_gradient(int index) const {
  return output_gradients_.at(static_cast<std::size_t>(index));
}

bool Differentiation::needs_gradient(int index) const {
  return requires_grad_[static_cast<std::size_t>(input(index))];
}

Activation Differentiation::selected_activation() const {
  if (only_reader(graph_, input(0)) != node_) return Activation::none;
  const auto makes_input = [&](const Node& node) { return !node.outputs.empty() && node.outputs[0] == input(0); };
  const auto maker = std::find_if(graph_.nodes.begin(), graph_.nodes.end(), makes_input);
  return maker == graph_.nodes.end() ? Activation::none : maker->op->last_activation();
}

bool Differentiation::is_selected() const {
  if (graph_.nodes[static_cast<std::size_t>(node_)].op->last_activation() == Activation::none) return false;
  const NodeId reader = only_reader(graph_, output(0));
  return reader != absent && graph_.nodes[static_cast<std::size_t>(reader)].op->selects();
}

std::vector<TensorId> Differentiation::emit(const std::string& suffix, OpPtr op, std::vector<TensorId> inputs,
                                            Phase phase) {
  const std::string name = fmt::format("{}.{}", graph_.nodes[static_cast<std::size_t>(node_)].name, suffix);
  return graph_.add(name, std::move(op), std::move(inputs), phase, node_);
}

std::vector<TensorId> Differentiation::replace(OpPtr op) {
  const Node before = graph_.nodes[static_cast<std::size_t>(node_)];
  for (const Node& node : graph_.nodes)
    for (const TensorId output : before.outputs)
      require(std::count(node.inputs.begin(), node.inputs.end(), output) == 0,
              "the outputs of layer '" + before.name + "' are used before its backward pass");
  const std::vector<TensorType> types = op->infer(graph_.types_of(before.inputs));
  require(types.size() > before.outputs.size(),
          "an op that replaces another must have its outputs and at least one more");
  std::vector<TensorId> more;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i >= before.outputs.size()) {
      TensorSpec spec;
      spec.name = fmt::format("{}.backward.{}", before.name, more.size());
      spec.type = types[i];
      more.push_back(graph_.add_tensor(std::move(spec)));
    } else {
      require(graph_.tensors[static_cast<std::size_t>(before.outputs[i])].type == types[i],
              "an op that replaces another has different outputs");
    }
  }
  Node& node = graph_.nodes[static_cast<std::size_t>(node_)];
  node.op = std::move(op);
  node.outputs.insert(node.outputs.end(), more.begin(), more.end());
  node.phase = Phase::backward_input;
  node.origin = node_;
  return more;
}

void Differentiation::set_gradient(int input_index, TensorId gradient) {
  require(graph_.tensors[static_cast<std::size_t>(gradient)].type == input_type(input_index),
          "a gradient and its tensor differ in type");
  input_gradients_.at(static_cast<std::size_t>(input_index)) = gradient;
}

void Differentiation::backward_input(OpPtr op, std::vector<TensorId> inputs, int input_index) {
  if (needs_gradient(input_index))
    set_gradient(input_index, emit("backward_input", std::move(op), std::move(inputs), Phase::backward_input)[0]);
}

void Differentiation::backward_weight(OpPtr op, std::vector<TensorId> inputs, int first) {
  for (const TensorId gradient : emit("backward_weight", std::move(op), std::move(inputs), Phase::backward_weight))
    set_gradient(first++, gradient);
}

Graph differentiate(const Graph& forward) {
  require(forward.gradients.empty(), "the graph has already been differentiated");
  Graph graph = forward;
  std::vector<bool> requires_grad(graph.tensors.size(), false);
  for (const TensorId id : graph.with_role(Role::parameter)) requires_grad[static_cast<std::size_t>(id)] = true;
  for (const Node& node : forward.nodes)
    for (const TensorId input : node.inputs)
      if (requires_grad[static_cast<std::size_t>(input)])
        for (const TensorId output : node.outputs) requires_grad[static_cast<std::size_t>(output)] = true;

  std::vector<TensorId> gradients(graph.tensors.size(), absent);
  for (NodeId id = static_cast<NodeId>(forward.nodes.size()) - 1; id >= 0; --id) {
    const Node node = forward.nodes[static_cast<std::size_t>(id)];
    std::vector<TensorId> output_gradients;
    bool flows = false;
    for (const TensorId output : node.outputs) {
      output_gradients.push_back(gradients[static_cast<std::size_t>(output)]);
      flows = flows || output_gradients.back() != absent ||
              graph.tensors[static_cast<std::size_t>(output)].role == Role::metric;
    }
    if (!flows) continue;
    Differentiation d(graph, id, output_gradients, requires_grad);
    node.op->differentiate(d);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto input = static_cast<std::size_t>(node.inputs[i]);
      const TensorId gradient = d.input_gradients()[i];
      if (gradient == absent || !requires_grad[input]) continue;
      if (gradients[input] == absent) {
        gradients[input] = gradient;
        continue;
      }
      const bool parameter = graph.tensors[input].role == Role::parameter;
      gradients[input] = d.emit("gradient_sum", std::make_shared<Add>(), {gradients[input], gradient},
                                parameter ? Phase::backward_weight : Phase::backward_input)[0];
    }
  }
  for (const TensorId id : graph.with_role(Role::parameter)) {
    const TensorId gradient = gradients[static_cast<std::size_t>(id)];
    if (gradient == absent)
      throw InputError("parameter '" + graph.tensors[static_cast<std::size_t>(id)].name +
                       "' does not influence the loss");
    TensorSpec& spec = graph.tensors[static_cast<std::size_t>(gradient)];
    spec.role = Role::gradient;
    spec.name = graph.tensors[static_cast<std::size_t>(id)].name;
  }
  gradients.resize(graph.tensors.size(), absent);
  graph.gradients = std::move(gradients);
  return graph;
}

std::size_t model_nodes(const Graph& training) {
  std::size_t nodes = 0;
  while (nodes < training.nodes.size()) {
    const Node& node = training.nodes[nodes];
    if (node.phase != Phase::forward && node.origin != static_cast<NodeId>(nodes)) break;
    ++nodes;
  }
  return nodes;
}

}  // namespace ddlbench::graph
