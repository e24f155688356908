#include <functional>

#include "graph/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

/// Builds `from` anew: `source` may change a tensor that no node makes, `node` adds one node given its
/// inputs in the new graph and returns its outputs there. Names and roles of outputs are kept.
Graph rebuild(const Graph& from, const std::function<void(TensorSpec&)>& source,
              const std::function<std::vector<TensorId>(Graph&, NodeId, std::vector<TensorId>)>& node) {
  require(from.gradients.empty(), "a differentiated graph cannot be rewritten");
  Graph to;
  to.name = from.name;
  std::vector<TensorId> mapped(from.tensors.size(), absent);
  std::vector<bool> produced(from.tensors.size(), false);
  for (const Node& n : from.nodes)
    for (const TensorId output : n.outputs) produced[static_cast<std::size_t>(output)] = true;
  for (std::size_t i = 0; i < from.tensors.size(); ++i) {
    if (produced[i]) continue;
    TensorSpec spec = from.tensors[i];
    source(spec);
    mapped[i] = to.add_tensor(std::move(spec));
  }
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    std::vector<TensorId> inputs;
    for (const TensorId input : from.nodes[i].inputs) inputs.push_back(mapped[static_cast<std::size_t>(input)]);
    const std::vector<TensorId> outputs = node(to, static_cast<NodeId>(i), std::move(inputs));
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const auto old = static_cast<std::size_t>(from.nodes[i].outputs[o]);
      mapped[old] = outputs[o];
      TensorSpec& spec = to.tensors[static_cast<std::size_t>(outputs[o])];
      spec.name = from.tensors[old].name;
      spec.role = from.tensors[old].role;
    }
  }
  return to;
}

}  // namespace

Graph with_batch(const Graph& forward, std::int64_t batch) {
  require(batch > 0, "with_batch: the batch must be positive");
  return rebuild(
      forward,
      [batch](TensorSpec& spec) {
        if (spec.role == Role::input || spec.role == Role::label) spec.type.shape.at(0) = batch;
      },
      [&forward](Graph& to, NodeId id, std::vector<TensorId> inputs) {
        const Node& node = forward.nodes[static_cast<std::size_t>(id)];
        return to.add(node.name, node.op, std::move(inputs), node.phase, node.origin);
      });
}

Graph split_epilogue(const Graph& forward, NodeId which) {
  return rebuild(
      forward, [](TensorSpec&) {},
      [&forward, which](Graph& to, NodeId id, std::vector<TensorId> inputs) {
        const Node& node = forward.nodes[static_cast<std::size_t>(id)];
        if (id != which) return to.add(node.name, node.op, std::move(inputs), node.phase, node.origin);
        const std::vector<OpPtr> parts = node.op->split_epilogue();
        require(parts.size() == 2, "layer '" + node.name + "' has no epilogue to split");
        const TensorId bias = inputs.back();
        inputs.pop_back();
        const TensorId core = to.add(node.name + ".core", parts[0], std::move(inputs), node.phase, node.origin).at(0);
        return to.add(node.name, parts[1], {core, bias}, node.phase, node.origin);
      });
}

}  // namespace ddlbench::graph
