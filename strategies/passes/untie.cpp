#include "strategies/passes/untie.h"

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
    for (std::size_t n = 0; n < forward.nodes.size(); ++n)
      for (graph::TensorId& input : result.graph.nodes[n].inputs)
        if (input == parameter) input = copy_on.at(rank_of_node[n]);
  }
  return result;
}

}  // namespace ddlbench::strategies
