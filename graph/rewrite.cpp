#include "graph/rewrite.h"

#include "base/error.h"

namespace ddlbench::graph {
namespace {

std::vector<TensorId> all_mapped(std::vector<TensorId> tensors, const std::vector<TensorId>& mapped) {
  for (TensorId& tensor : tensors) tensor = mapped[static_cast<std::size_t>(tensor)];
  return tensors;
}

}  // namespace

AddNode same_node(const Graph& from) {
  return [&from](Graph& to, NodeId id, std::vector<TensorId> inputs) {
    const Node& node = from.nodes[static_cast<std::size_t>(id)];
    return to.add(node.name, node.op, std::move(inputs), node.phase, node.origin);
  };
}

Graph rebuild(const Graph& from, const ChangeSource& source, const AddNode& node, const AfterSources& after_sources) {
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
  if (after_sources) after_sources(to, mapped);
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const std::vector<TensorId> outputs = node(to, static_cast<NodeId>(i), all_mapped(from.nodes[i].inputs, mapped));
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const auto old = static_cast<std::size_t>(from.nodes[i].outputs[o]);
      mapped[old] = outputs[o];
      TensorSpec& spec = to.tensors[static_cast<std::size_t>(outputs[o])];
      spec.name = from.tensors[old].name;
      spec.role = from.tensors[old].role;
    }
    const std::optional<Substitute>& evaluation = from.nodes[i].evaluation;
    if (evaluation) to.nodes.back().evaluation = Substitute{evaluation->op, all_mapped(evaluation->inputs, mapped)};
  }
  for (Observation observation : from.observations) {
    observation.statistic = mapped[static_cast<std::size_t>(observation.statistic)];
    observation.observed = mapped[static_cast<std::size_t>(observation.observed)];
    to.observations.push_back(observation);
  }
  return to;
}

Graph with_batch(const Graph& forward, std::int64_t batch) {
  require(batch > 0, "with_batch: the batch must be positive");
  return rebuild(
      forward,
      [batch](TensorSpec& spec) {
        if (spec.role == Role::input || spec.role == Role::label || spec.role == Role::sample)
          spec.type.shape.at(0) = batch;
      },
      same_node(forward));
}

Evaluation for_evaluation(const Graph& forward) {
  require(forward.gradients.empty(), "a differentiated graph cannot be converted for evaluation");
  std::vector<bool> needed(forward.tensors.size(), false);
  for (const TensorId metric : forward.with_role(Role::metric)) needed[static_cast<std::size_t>(metric)] = true;
  std::vector<bool> kept(forward.nodes.size(), false);
  for (std::size_t n = forward.nodes.size(); n-- > 0;) {
    const Node& node = forward.nodes[n];
    for (const TensorId output : node.outputs) kept[n] = kept[n] || needed[static_cast<std::size_t>(output)];
    if (!kept[n]) continue;
    for (const TensorId input : node.evaluation ? node.evaluation->inputs : node.inputs)
      needed[static_cast<std::size_t>(input)] = true;
  }
  Evaluation result;
  result.graph = forward;
  result.graph.nodes.clear();
  result.graph.observations.clear();
  for (std::size_t n = 0; n < forward.nodes.size(); ++n) {
    if (!kept[n]) continue;
    Node node = forward.nodes[n];
    if (node.evaluation) {
      node.op = node.evaluation->op;
      node.inputs = std::move(node.evaluation->inputs);
      node.outputs.resize(node.op->infer(forward.types_of(node.inputs)).size());
      node.evaluation.reset();
    }
    result.graph.nodes.push_back(std::move(node));
    result.origin.push_back(static_cast<NodeId>(n));
  }
  return result;
}

Graph split_epilogue(const Graph& forward, NodeId which) {
  return rebuild(
      forward, [](TensorSpec&) {},
      [&forward, which](Graph& to, NodeId id, std::vector<TensorId> inputs) {
        const Node& node = forward.nodes[static_cast<std::size_t>(id)];
        if (id != which) return to.add(node.name, node.op, std::move(inputs), node.phase, node.origin);
        const std::vector<OpPtr> parts = node.op->split_epilogue();
        require(parts.size() == 2, "layer '" + node.name + "' has no epilogue to split");
        const TensorId core =
            to.add(node.name + ".core", parts[0], {inputs.at(0), inputs.at(1)}, node.phase, node.origin).at(0);
        inputs.erase(inputs.begin(), inputs.begin() + 2);
        inputs.insert(inputs.begin(), core);
        return to.add(node.name, parts[1], std::move(inputs), node.phase, node.origin);
      });
}

}  // namespace ddlbench::graph
