#include "strategies/passes/untie.h"

#include <algorithm>

namespace ddlbench::strategies {

Untied untie(const graph::Graph& forward, const std::vector<int>& rank_of_node, std::vector<AxisRule>& rules) {
  Untied result{forward, {}};
  for (const graph::TensorId parameter : forward.with_role(graph::Role::parameter)) {
    std::map<int, graph::TensorId> copy_on;
    for (std::size_t n = 0; n < forward.nodes.size(); ++n)
      for (const graph::TensorId input : forward.nodes[n].inputs)
        if (input == parameter) copy_on[rank_of_node[n]] = parameter;
    if (copy_on.size() < 2) continue;

    std::vector<int> holders;
    for (auto& [rank, copy] : copy_on) {
      if (!holders.empty()) {
        copy = result.graph.add_tensor(forward.tensors[static_cast<std::size_t>(parameter)]);
        for (AxisRule& rule : rules)
          if (const auto placed = rule.parameters.find(parameter); placed != rule.parameters.end())
            rule.parameters[copy] = placed->second;
      }
      holders.push_back(rank);
    }
    for (const auto& [rank, copy] : copy_on) result.ties[copy] = {parameter, holders};
    // A node that does not use the parameter may be on a rank without a copy; it has nothing to replace.
    const auto copy_of = [&](std::size_t n) {
      const auto found = copy_on.find(rank_of_node[n]);
      return found == copy_on.end() ? parameter : found->second;
    };
    for (std::size_t n = 0; n < forward.nodes.size(); ++n) {
      graph::Node& node = result.graph.nodes[n];
      std::replace(node.inputs.begin(), node.inputs.end(), parameter, copy_of(n));
      if (!node.evaluation) continue;
      std::vector<graph::TensorId>& inputs = node.evaluation->inputs;
      std::replace(inputs.begin(), inputs.end(), parameter, copy_of(n));
    }
  }
  return result;
}

}  // namespace ddlbench::strategies
