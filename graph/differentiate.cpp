#include "graph/error.h"
#include "graph/graph.h"
#include "graph/ops/shape.h"

namespace ddlbench::graph {

Differentiation::Differentiation(Graph& graph, NodeId node, std::span<const TensorId> output_gradients,
                                 const std::vector<bool>& wanted)
    : graph_(graph),
      node_(node),
      wanted_(wanted),
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
  return wanted_[static_cast<std::size_t>(input(index))];
}

std::vector<TensorId> Differentiation::emit(const std::string& suffix, OpPtr op, std::vector<TensorId> inputs,
                                            Phase phase) {
  const std::string name = graph_.nodes[static_cast<std::size_t>(node_)].name + "." + suffix;
  return graph_.add(name, std::move(op), std::move(inputs), phase, node_);
}

void Differentiation::set_gradient(int input_index, TensorId gradient) {
  require(graph_.tensors[static_cast<std::size_t>(gradient)].type == input_type(input_index),
          "a gradient has another type than its tensor");
  input_gradients_.at(static_cast<std::size_t>(input_index)) = gradient;
}

Graph differentiate(const Graph& forward) {
  require(forward.gradients.empty(), "the graph is differentiated already");
  Graph graph = forward;
  std::vector<bool> wanted(graph.tensors.size(), false);
  for (const TensorId id : graph.with_role(Role::parameter)) wanted[static_cast<std::size_t>(id)] = true;
  for (const Node& node : forward.nodes)
    for (const TensorId input : node.inputs)
      if (wanted[static_cast<std::size_t>(input)])
        for (const TensorId output : node.outputs) wanted[static_cast<std::size_t>(output)] = true;

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
    Differentiation d(graph, id, output_gradients, wanted);
    node.op->differentiate(d);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto input = static_cast<std::size_t>(node.inputs[i]);
      const TensorId gradient = d.input_gradients()[i];
      if (gradient == absent || !wanted[input]) continue;
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

}  // namespace ddlbench::graph
