#include "bench/report/layers.h"

#include "base/units.h"
#include "bench/records/csv.h"
#include "bench/report/grid.h"
#include "graph/flops.h"

namespace ddlbench::bench {
namespace {

using graph::Graph;
using graph::Node;
using graph::Role;
using graph::TensorId;
using graph::TensorSpec;

const TensorSpec& tensor(const Graph& graph, TensorId id) {
  return graph.tensors[static_cast<std::size_t>(id)];
}

/// Returns for each tensor the one that holds its bytes: for the output of a view the input, otherwise the tensor
/// itself.
std::vector<TensorId> holders(const Graph& graph) {
  std::vector<TensorId> holder(graph.tensors.size());
  for (std::size_t id = 0; id < holder.size(); ++id) holder[id] = static_cast<TensorId>(id);
  for (const Node& node : graph.nodes) {
    if (!node.op->is_view()) continue;
    holder[static_cast<std::size_t>(node.outputs.front())] = holder[static_cast<std::size_t>(node.inputs.front())];
  }
  return holder;
}

/// Returns for each tensor whether a node of the backward pass reads it.
std::vector<bool> kept_tensors(const Graph& training) {
  const std::vector<TensorId> holder = holders(training);
  std::vector<bool> kept(training.tensors.size(), false);
  for (const Node& node : training.nodes) {
    if (node.phase == graph::Phase::forward) continue;
    for (const TensorId id : node.inputs) {
      kept[static_cast<std::size_t>(holder[static_cast<std::size_t>(id)])] = true;
    }
  }
  return kept;
}

Layer layer_of(const Graph& graph, const Node& node, const std::vector<bool>& kept, std::vector<bool>& counted) {
  Layer layer;
  layer.name = node.name;
  layer.op = node.op->kind();
  layer.attributes = node.op->attributes();
  layer.output = to_string(tensor(graph, node.outputs.front()).type);
  layer.forward_flops = graph::flops_of(graph, node);
  for (const TensorId id : node.inputs) {
    if (tensor(graph, id).role != Role::parameter || counted[static_cast<std::size_t>(id)]) continue;
    counted[static_cast<std::size_t>(id)] = true;
    layer.parameters += graph::elements(tensor(graph, id).type.shape);
  }
  if (node.op->is_view()) return layer;
  for (const TensorId id : node.outputs) {
    if (tensor(graph, id).role != Role::activation) continue;
    const auto bytes = static_cast<std::int64_t>(graph::bytes(tensor(graph, id).type));
    layer.output_bytes += bytes;
    if (kept[static_cast<std::size_t>(id)]) layer.kept_bytes += bytes;
  }
  return layer;
}

std::string mega(double flops) {
  return flops > 0 ? format_ratio(flops * 1e-6) : "";
}

std::vector<std::string> row(const Layer& layer) {
  const auto count = [](std::int64_t number) { return number > 0 ? std::to_string(number) : ""; };
  const auto size = [](std::int64_t bytes) { return bytes > 0 ? format_bytes(bytes) : ""; };
  return {layer.name,
          layer.op,
          layer.output,
          count(layer.parameters),
          mega(layer.forward_flops),
          mega(layer.backward_input_flops),
          mega(layer.backward_weight_flops),
          size(layer.output_bytes),
          size(layer.kept_bytes)};
}

}  // namespace

std::vector<Layer> layers_of(const Graph& forward) {
  const Graph training = graph::differentiate(forward);
  const std::vector<bool> kept = kept_tensors(training);
  std::vector<bool> counted(forward.tensors.size(), false);
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < forward.nodes.size(); ++i) {
    layers.push_back(layer_of(training, forward.nodes[i], kept, counted));
    // A node that training moves to the backward pass as a whole includes the forward FLOPs.
    if (training.nodes[i].phase != graph::Phase::forward)
      layers.back().backward_input_flops -= layers.back().forward_flops;
  }
  for (const Node& node : training.nodes) {
    if (node.phase == graph::Phase::forward) continue;
    Layer& layer = layers.at(static_cast<std::size_t>(node.origin));
    const bool input = node.phase == graph::Phase::backward_input;
    (input ? layer.backward_input_flops : layer.backward_weight_flops) += graph::flops_of(training, node);
  }
  return layers;
}

Layer total_of(const std::vector<Layer>& layers) {
  Layer total;
  total.name = "total";
  for (const Layer& layer : layers) {
    total.parameters += layer.parameters;
    total.forward_flops += layer.forward_flops;
    total.backward_input_flops += layer.backward_input_flops;
    total.backward_weight_flops += layer.backward_weight_flops;
    total.output_bytes += layer.output_bytes;
    total.kept_bytes += layer.kept_bytes;
  }
  return total;
}

std::string layers_text(const std::vector<Layer>& layers) {
  using enum Grid::Align;
  Grid grid({left, left, left, right, right, right, right, right, right});
  grid.add({"layer", "op", "output", "parameters", "forward MFLOP", "backward input", "backward weight", "output bytes",
            "kept"});
  for (const Layer& layer : layers) grid.add(row(layer));
  grid.add(row(total_of(layers)));
  return grid.text(0);
}

std::string layers_csv(const std::vector<Layer>& layers) {
  static const std::vector<Column<Layer>> columns{
      {"layer", [](const Layer& layer) { return cell(layer.name); }},
      {"op", [](const Layer& layer) { return cell(layer.op); }},
      {"attributes", [](const Layer& layer) { return cell(layer.attributes); }},
      {"output", [](const Layer& layer) { return cell(layer.output); }},
      {"parameters", [](const Layer& layer) { return cell(layer.parameters); }},
      {"forward_flops", [](const Layer& layer) { return cell(layer.forward_flops); }},
      {"backward_input_flops", [](const Layer& layer) { return cell(layer.backward_input_flops); }},
      {"backward_weight_flops", [](const Layer& layer) { return cell(layer.backward_weight_flops); }},
      {"output_bytes", [](const Layer& layer) { return cell(layer.output_bytes); }},
      {"kept_bytes", [](const Layer& layer) { return cell(layer.kept_bytes); }},
  };
  return csv_table(columns, layers);
}

}  // namespace ddlbench::bench
