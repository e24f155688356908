#include "strategies/passes/untie.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ddlbench::strategies {
namespace {

using graph::TensorId;

class Untying {
 public:
  Untying(const graph::Graph& forward, const std::vector<int>& stage_of_node, const Pipeline& pipeline,
          std::vector<AxisRule>& rules)
      : forward_(forward),
        stage_of_node_(stage_of_node),
        pipeline_(pipeline),
        rules_(rules),
        result_{forward, {}, {}} {}

  Untied run() && {
    for (const graph::Role role : {graph::Role::parameter, graph::Role::statistic})
      for (const TensorId tensor : forward_.with_role(role)) untie(tensor);
    return std::move(result_);
  }

 private:
  using Place = std::pair<int, int>;  ///< pipeline rank and copy of the model

  Place place_of(std::size_t node) const {
    const int stage = stage_of_node_[node];
    return {pipeline_.rank_of(stage), pipeline_.copy_of(stage)};
  }

  void untie(TensorId parameter) {
    std::map<Place, TensorId> tensor_at;
    std::set<int> stages;
    for (std::size_t n = 0; n < forward_.nodes.size(); ++n)
      if (uses(forward_.nodes[n], parameter)) {
        tensor_at[place_of(n)] = parameter;
        stages.insert(stage_of_node_[n]);
      }
    if (tensor_at.size() < 2) return;

    std::map<int, TensorId> held;  // by rank
    for (auto& [place, tensor] : tensor_at) {
      if (place != tensor_at.begin()->first) tensor = copy(parameter);
      const auto [own, is_new] = held.try_emplace(place.first, tensor);
      if (!is_new) result_.twins[tensor] = own->second;
    }
    if (held.size() > 1) {
      Tie tie{parameter, {}, group_of(parameter, stages)};
      for (const auto& [rank, tensor] : held) tie.holders.push_back(rank);
      for (const auto& [rank, tensor] : held) result_.ties[tensor] = tie;
    }
    replace(parameter, tensor_at);
  }

  static bool uses(const graph::Node& node, TensorId tensor) {
    const auto has = [tensor](const std::vector<TensorId>& inputs) {
      return std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
    };
    return has(node.inputs) || (node.evaluation && has(node.evaluation->inputs));
  }

  TensorId copy(TensorId parameter) {
    const TensorId made = result_.graph.add_tensor(forward_.tensors[static_cast<std::size_t>(parameter)]);
    for (AxisRule& rule : rules_)
      if (const auto placed = rule.parameters.find(parameter); placed != rule.parameters.end())
        rule.parameters[made] = placed->second;
    return made;
  }

  /// The parameters of one stage in all copies of the model are a group: all of its holders have all of them.
  int group_of(TensorId parameter, const std::set<int>& stages) {
    const bool of_one_stage = pipeline_.model_copies > 1 && static_cast<int>(stages.size()) == pipeline_.model_copies;
    return of_one_stage ? groups_.try_emplace(*stages.begin(), parameter).first->second : parameter;
  }

  /// A node that does not use the parameter may be at a place without it; it has nothing to replace.
  void replace(TensorId parameter, const std::map<Place, TensorId>& tensor_at) {
    for (std::size_t n = 0; n < forward_.nodes.size(); ++n) {
      const auto found = tensor_at.find(place_of(n));
      if (found == tensor_at.end()) continue;
      graph::Node& node = result_.graph.nodes[n];
      std::replace(node.inputs.begin(), node.inputs.end(), parameter, found->second);
      if (!node.evaluation) continue;
      std::vector<TensorId>& inputs = node.evaluation->inputs;
      std::replace(inputs.begin(), inputs.end(), parameter, found->second);
    }
    for (graph::Observation& observation : result_.graph.observations)
      if (observation.statistic == parameter)
        observation.statistic = tensor_at.at(place_of(producer_of(observation.observed)));
  }

  std::size_t producer_of(TensorId tensor) const {
    const auto produces = [tensor](const graph::Node& node) {
      return std::find(node.outputs.begin(), node.outputs.end(), tensor) != node.outputs.end();
    };
    return static_cast<std::size_t>(std::find_if(forward_.nodes.begin(), forward_.nodes.end(), produces) -
                                    forward_.nodes.begin());
  }

  const graph::Graph& forward_;
  const std::vector<int>& stage_of_node_;
  const Pipeline& pipeline_;
  std::vector<AxisRule>& rules_;
  Untied result_;
  std::map<int, int> groups_;  ///< by stage of copy 0
};

}  // namespace

Untied untie(const graph::Graph& forward, const std::vector<int>& stage_of_node, const Pipeline& pipeline,
             std::vector<AxisRule>& rules) {
  return Untying(forward, stage_of_node, pipeline, rules).run();
}

}  // namespace ddlbench::strategies
