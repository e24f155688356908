#include "strategies/passes/model_copies.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"

namespace ddlbench::strategies {

using graph::TensorId;

graph::Graph with_model_copies(const graph::Graph& forward, int copies) {
  graph::Graph result = forward;
  for (int copy = 1; copy < copies; ++copy) {
    std::vector<TensorId> mapped(forward.tensors.size());
    for (std::size_t t = 0; t < mapped.size(); ++t) mapped[t] = static_cast<TensorId>(t);
    const auto named = [copy](const std::string& name) { return fmt::format("{} (copy {})", name, copy); };
    for (graph::Node node : forward.nodes) {
      for (TensorId& output : node.outputs) {
        graph::TensorSpec spec = forward.tensors[static_cast<std::size_t>(output)];
        if (spec.role != graph::Role::metric) spec.name = named(spec.name);
        output = mapped[static_cast<std::size_t>(output)] = result.add_tensor(std::move(spec));
      }
      const auto read_copies = [&mapped](std::vector<TensorId>& inputs) {
        for (TensorId& input : inputs) input = mapped[static_cast<std::size_t>(input)];
      };
      read_copies(node.inputs);
      if (node.evaluation) read_copies(node.evaluation->inputs);
      node.name = named(node.name);
      result.nodes.push_back(std::move(node));
    }
    for (const graph::Observation& own : forward.observations)
      result.observations.push_back({own.statistic, mapped[static_cast<std::size_t>(own.observed)], own.momentum});
  }
  return result;
}

namespace {

void read_instead(ShardedGraph& sharded, ValueId twin, ValueId own) {
  std::vector<int>& from = sharded.values[static_cast<std::size_t>(twin)].consumers;
  std::vector<int>& to = sharded.values[static_cast<std::size_t>(own)].consumers;
  for (const int consumer : from) {
    std::vector<ValueId>& inputs = sharded.steps[static_cast<std::size_t>(consumer)].inputs;
    std::replace(inputs.begin(), inputs.end(), twin, own);
  }
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
  from.clear();
}

void write_instead(ShardedGraph& sharded, ValueId twin, ValueId own) {
  Value& value = sharded.values[static_cast<std::size_t>(twin)];
  require(value.consumers.empty() && value.layout == sharded.values[static_cast<std::size_t>(own)].layout,
          "the copies of the model differ in the layout of what they add up");
  std::vector<ValueId>& outputs = sharded.steps[static_cast<std::size_t>(value.producer)].outputs;
  std::replace(outputs.begin(), outputs.end(), twin, own);
  value.producer = graph::absent;
}

/// Adds what all copies observe to the observation of the first one.
void join_observations(ShardedGraph& sharded, const Twins& twins) {
  std::map<TensorId, TensorId> observed;  // by statistic
  std::vector<graph::Observation> joined;
  for (const graph::Observation& observation : sharded.graph.observations)
    if (!twins.contains(observation.statistic)) {
      observed[observation.statistic] = observation.observed;
      joined.push_back(observation);
    }
  for (const graph::Observation& observation : sharded.graph.observations)
    if (const auto twin = twins.find(observation.statistic); twin != twins.end())
      write_instead(sharded, sharded.first_value(observation.observed), sharded.first_value(observed.at(twin->second)));
  sharded.graph.observations = std::move(joined);
}

void join_metrics(ShardedGraph& sharded, const StageMap& stages) {
  std::map<std::pair<int, std::string>, ValueId> first;  // by rank and name
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const Value& value = sharded.values[static_cast<std::size_t>(id)];
    const graph::TensorSpec& tensor = sharded.graph.tensors[static_cast<std::size_t>(value.tensor)];
    if (tensor.role != graph::Role::metric || value.producer == graph::absent) continue;
    const auto [own, is_new] = first.try_emplace({stages.rank_of(value.producer), tensor.name}, id);
    if (!is_new) write_instead(sharded, id, own->second);
  }
}

}  // namespace

void join_copies(ShardedGraph& sharded, const StageMap& stages, const Twins& twins) {
  join_metrics(sharded, stages);
  join_observations(sharded, twins);
  for (const auto& [twin, own] : twins) {
    read_instead(sharded, sharded.source_of(twin), sharded.source_of(own));
    if (sharded.gradient_of.empty()) continue;
    ValueId& gradient = sharded.gradient_of[static_cast<std::size_t>(twin)];
    if (gradient == graph::absent) continue;
    write_instead(sharded, gradient, sharded.gradient_of[static_cast<std::size_t>(own)]);
    gradient = graph::absent;
  }
}

}  // namespace ddlbench::strategies
