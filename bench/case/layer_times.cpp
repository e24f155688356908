#include "bench/case/layer_times.h"

#include <algorithm>
#include <memory>
#include <string>

#include "program/program.h"
#include "runtime/kernel_cache.h"
#include "runtime/op_timer.h"

namespace ddlbench::bench {
namespace {

using graph::Graph;
using graph::Node;
using graph::Phase;
using graph::TensorId;

constexpr double seconds_per_op = 10e-3;
constexpr std::int64_t most_places = 256;

std::int64_t bytes_of(const Graph& graph, TensorId id) {
  return static_cast<std::int64_t>(graph::bytes(graph.tensors[static_cast<std::size_t>(id)].type));
}

program::Operand operand_of(const Graph& graph, TensorId id, int place) {
  const auto buffer = static_cast<program::BufferId>(static_cast<std::size_t>(place) * graph.tensors.size()) + id;
  return {{buffer, 0, bytes_of(graph, id)}, graph.tensors[static_cast<std::size_t>(id)].type};
}

/// Returns the node as a computation on tensors of its own at location `place`.
program::Compute compute_of(const Graph& graph, const Node& node, int place) {
  program::Compute compute;
  compute.op = node.op;
  for (const TensorId id : node.inputs) compute.inputs.push_back(operand_of(graph, id, place));
  for (const TensorId id : node.outputs) compute.outputs.push_back(operand_of(graph, id, place));
  return compute;
}

std::int64_t bytes_of_operands(const Graph& graph, const Node& node) {
  std::int64_t bytes = 0;
  for (const TensorId id : node.inputs) bytes += bytes_of(graph, id);
  for (const TensorId id : node.outputs) bytes += bytes_of(graph, id);
  return bytes;
}

double& part_of(LayerTimes& times, Phase phase) {
  switch (phase) {
    case Phase::backward_input:
      return times.backward_input_seconds;
    case Phase::backward_weight:
      return times.backward_weight_seconds;
    default:
      return times.forward_seconds;
  }
}

}  // namespace

std::int64_t bytes_of_tensors(const Graph& graph) {
  std::int64_t bytes = 0;
  for (std::size_t id = 0; id < graph.tensors.size(); ++id) bytes += bytes_of(graph, static_cast<TensorId>(id));
  for (const Node& node : graph.nodes) {
    if (!node.op->is_view()) continue;
    for (const TensorId id : node.outputs) bytes -= bytes_of(graph, id);
  }
  return bytes;
}

int places_in_caches(std::int64_t bytes, std::int64_t step_bytes) {
  const std::int64_t spread = std::min(runtime::beyond_caches, step_bytes);
  const std::int64_t each = std::max<std::int64_t>(1, bytes);
  return static_cast<int>(std::clamp<std::int64_t>((spread + each - 1) / each, 1, most_places));
}

LayerTimer::LayerTimer(const Graph& forward, kernels::Device& device, bool backward)
    : graph_(backward ? graph::differentiate(forward) : forward),
      device_(device),
      step_bytes_(bytes_of_tensors(graph_)),
      nodes_(forward.nodes.size()) {
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.op->is_view()) continue;
    nodes_.at(node.phase == Phase::forward ? i : static_cast<std::size_t>(node.origin)).push_back(&node);
  }
}

LayerTimes LayerTimer::time(std::size_t layer) const {
  LayerTimes times;
  for (const Node* node : nodes_[layer]) time(*node, times);
  return times;
}

void LayerTimer::time(const Node& node, LayerTimes& times) const {
  std::vector<program::Compute> places;
  for (int place = places_in_caches(bytes_of_operands(graph_, node), step_bytes_); place-- > 0;) {
    places.push_back(compute_of(graph_, node, place));
  }
  runtime::Computations computations;
  for (const program::Compute& compute : places) computations.emplace_back(node.name, &compute);
  const auto picoseconds = runtime::time_computations(computations, device_, seconds_per_op);
  part_of(times, node.phase) += static_cast<double>(picoseconds.at(node.name)) * 1e-12;
  runtime::KernelCache kernels(device_);
  const auto bytes = static_cast<std::int64_t>(kernels.of(places.front()).workspace_bytes());
  times.workspace_bytes = std::max(times.workspace_bytes, bytes);
}

std::vector<LayerTimes> time_layers(const Graph& forward, kernels::Device& device, bool backward,
                                    const std::function<void(std::size_t)>& progress) {
  const LayerTimer timer(forward, device, backward);
  std::vector<LayerTimes> times;
  for (std::size_t layer = 0; layer < timer.layers(); ++layer) {
    if (progress) progress(layer);
    times.push_back(timer.time(layer));
  }
  return times;
}

}  // namespace ddlbench::bench
