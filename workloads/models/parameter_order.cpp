#include "workloads/models/parameter_order.h"

#include <algorithm>

namespace ddlbench::workloads {
namespace {

/// Returns the block of a parameter, "layer1.0" of "layer1.0.bn1.weight"; a shorter name as a whole.
std::string block_of(const std::string& parameter) {
  const auto stage = parameter.find('.');
  return parameter.substr(0, stage == std::string::npos ? stage : parameter.find('.', stage + 1));
}

}  // namespace

void move_behind_siblings(graph::Graph& graph, bool (*last)(const std::string& parameter)) {
  const std::vector<graph::TensorId> places = graph.with_role(graph::Role::parameter);
  std::vector<graph::TensorId> order = places;
  const auto name = [&](graph::TensorId id) -> const std::string& {
    return graph.tensors[static_cast<std::size_t>(id)].name;
  };
  for (auto begin = order.begin(); begin != order.end();) {
    const std::string block = block_of(name(*begin));
    const auto end = std::find_if(begin, order.end(), [&](graph::TensorId id) { return block_of(name(id)) != block; });
    std::stable_partition(begin, end, [&](graph::TensorId id) { return !last(name(id)); });
    begin = end;
  }
  std::vector<graph::TensorId> moved(graph.tensors.size());
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = static_cast<graph::TensorId>(i);
  std::vector<graph::TensorSpec> tensors = graph.tensors;
  for (std::size_t i = 0; i < places.size(); ++i) {
    moved[static_cast<std::size_t>(order[i])] = places[i];
    tensors[static_cast<std::size_t>(places[i])] = graph.tensors[static_cast<std::size_t>(order[i])];
  }
  graph.tensors = std::move(tensors);
  for (graph::Node& node : graph.nodes) {
    for (graph::TensorId& input : node.inputs) input = moved[static_cast<std::size_t>(input)];
    if (!node.evaluation) continue;
    for (graph::TensorId& input : node.evaluation->inputs) input = moved[static_cast<std::size_t>(input)];
  }
}

}  // namespace ddlbench::workloads
