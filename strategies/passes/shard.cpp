#include "strategies/passes/shard.h"

#include "graph/error.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

using graph::Placement;

namespace {

bool is_layer(const graph::Op& op) {
  return dynamic_cast<const graph::Linear*>(&op) != nullptr || dynamic_cast<const graph::Conv2d*>(&op) != nullptr;
}

void require_divisible(const graph::Graph& graph, const graph::Node& node, int ranks) {
  const std::int64_t outputs = graph.tensors[static_cast<std::size_t>(node.inputs[1])].type.shape[0];
  if (outputs < ranks)
    throw Unsupported("tensor parallelism cannot split the " + std::to_string(outputs) + " outputs of layer '" +
                      node.name + "' over " + std::to_string(ranks) + " ranks; use at most " + std::to_string(outputs));
}

}  // namespace

Sharding shard_layers(const graph::Graph& forward, const std::string& axis, int ranks) {
  AxisRule rule{axis, ranks, false, {}};
  std::vector<Placement> placements(forward.tensors.size(), graph::replicated());
  std::vector<graph::NodeId> rows;
  std::vector<std::string> choices;

  for (std::size_t n = 0; n < forward.nodes.size(); ++n) {
    const graph::Node& node = forward.nodes[n];
    const Placement input = placements[static_cast<std::size_t>(node.inputs[0])];
    const bool linear = dynamic_cast<const graph::Linear*>(node.op.get()) != nullptr;
    if (linear && input.kind == Placement::Kind::sharded) {
      rule.parameters[node.inputs[1]] = graph::sharded(1, input.unit);
      if (!node.op->split_epilogue().empty()) rows.push_back(static_cast<graph::NodeId>(n));
      choices.push_back(node.name + ": rows");
      continue;  // replicated after the reduction
    }
    if (is_layer(*node.op)) {
      require_divisible(forward, node, ranks);
      for (std::size_t i = 1; i < node.inputs.size(); ++i) rule.parameters[node.inputs[i]] = graph::sharded(0);
      choices.push_back(node.name + (linear ? ": columns" : ": output channels"));
    }
    std::vector<Placement> inputs;
    for (const auto tensor : node.inputs) {
      const bool parameter = forward.tensors[static_cast<std::size_t>(tensor)].role == graph::Role::parameter;
      inputs.push_back(parameter ? resting_placement(rule, forward, tensor)
                                 : placements[static_cast<std::size_t>(tensor)]);
    }
    const graph::Signature signature = choose_signature(forward, static_cast<graph::NodeId>(n), inputs, rule);
    for (std::size_t o = 0; o < node.outputs.size(); ++o)
      placements[static_cast<std::size_t>(node.outputs[o])] = signature.outputs[o];
  }
  if (choices.empty()) throw Unsupported("model '" + forward.name + "' has no layer that tensor parallelism can split");

  Sharding result{forward, {axis, ranks, false, {}}, std::move(choices)};
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) result.graph = graph::split_epilogue(result.graph, *row);
  for (const auto& [tensor, placement] : rule.parameters)
    for (const auto id : result.graph.with_role(graph::Role::parameter))
      if (result.graph.tensors[static_cast<std::size_t>(id)].name ==
          forward.tensors[static_cast<std::size_t>(tensor)].name)
        result.rule.parameters[id] = placement;
  return result;
}

}  // namespace ddlbench::strategies
