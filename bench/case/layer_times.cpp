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

program::Operand operand_of(const Graph& graph, TensorId id) {
  const graph::TensorType& type = graph.tensors[static_cast<std::size_t>(id)].type;
  return {{id, 0, static_cast<std::int64_t>(graph::bytes(type))}, type};
}

/// The node on tensors of its own: a layer's nodes that share a tensor share its memory.
program::Compute compute_of(const Graph& graph, const Node& node) {
  program::Compute compute;
  compute.op = node.op;
  for (const TensorId id : node.inputs) compute.inputs.push_back(operand_of(graph, id));
  for (const TensorId id : node.outputs) compute.outputs.push_back(operand_of(graph, id));
  return compute;
}

struct Work {
  Phase phase;
  program::Compute compute;
};

/// Per layer what it computes, the forward node first.
std::vector<std::vector<Work>> work_of_layers(const Graph& graph, std::size_t layers) {
  std::vector<std::vector<Work>> work(layers);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op->is_view()) continue;
    const auto layer = node.phase == Phase::forward ? i : static_cast<std::size_t>(node.origin);
    work.at(layer).push_back({node.phase, compute_of(graph, node)});
  }
  return work;
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

LayerTimes time_layer(const std::vector<Work>& work, kernels::Device& device) {
  LayerTimes times;
  runtime::KernelCache kernels(device);
  runtime::Computations computations;
  for (const Work& one : work) {
    computations.emplace_back(std::to_string(computations.size()), &one.compute);
    const auto bytes = static_cast<std::int64_t>(kernels.of(one.compute).workspace_bytes());
    times.workspace_bytes = std::max(times.workspace_bytes, bytes);
  }
  const auto picoseconds = runtime::time_computations(computations, device, seconds_per_op);
  for (std::size_t i = 0; i < work.size(); ++i) {
    part_of(times, work[i].phase) += static_cast<double>(picoseconds.at(std::to_string(i))) * 1e-12;
  }
  return times;
}

}  // namespace

std::vector<LayerTimes> time_layers(const Graph& forward, kernels::Device& device, bool backward,
                                    const std::function<void(std::size_t)>& progress) {
  const std::size_t layers = forward.nodes.size();
  const auto work = work_of_layers(backward ? graph::differentiate(forward) : forward, layers);
  std::vector<LayerTimes> times;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (progress) progress(layer);
    times.push_back(time_layer(work[layer], device));
  }
  return times;
}

}  // namespace ddlbench::bench
