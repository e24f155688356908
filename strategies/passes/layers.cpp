#include "strategies/passes/layers.h"

#include <algorithm>
#include <optional>

namespace ddlbench::strategies {
namespace {

/// Returns whether `node` has a weight, and so is a layer. Parameters of one dimension (of norms, and split-off biases)
/// do not count: they belong to an adjacent layer.
bool has_weight(const graph::Graph& graph, const graph::Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&graph](graph::TensorId id) {
    const graph::TensorSpec& tensor = graph.tensors[static_cast<std::size_t>(id)];
    return tensor.role == graph::Role::parameter && tensor.type.shape.size() >= 2;
  });
}

/// Returns, by forward node, the bytes that cross a cut before it: of tensors that are produced before it and used from
/// it on.
std::vector<std::size_t> crossing_bytes(const graph::Graph& training, std::size_t nodes) {
  std::vector<std::size_t> last_use(training.tensors.size(), 0);
  for (std::size_t n = 0; n < nodes; ++n)
    for (const graph::TensorId input : training.nodes[n].inputs) last_use[static_cast<std::size_t>(input)] = n;
  std::vector<std::size_t> bytes(nodes, 0);
  for (std::size_t n = 0; n < nodes; ++n)
    for (const graph::TensorId output : training.nodes[n].outputs) {
      const auto id = static_cast<std::size_t>(output);
      for (std::size_t cut = n + 1; cut <= last_use[id]; ++cut) bytes[cut] += graph::bytes(training.tensors[id].type);
    }
  return bytes;
}

}  // namespace

Layers layers_of(const graph::Graph& training) {
  const std::size_t nodes = graph::model_nodes(training);
  const std::vector<std::size_t> crossing = crossing_bytes(training, nodes);
  Layers layers{std::vector<std::size_t>(nodes, 0), {0}};
  std::optional<std::size_t> weight;  // the last node with a weight
  for (std::size_t n = 0; n < nodes; ++n) {
    layers.of_node[n] = layers.entering_bytes.size() - 1;
    if (!has_weight(training, training.nodes[n])) continue;
    if (weight) {
      std::size_t begin = n;
      for (std::size_t cut = n; cut > *weight; --cut)
        if (crossing[cut] < crossing[begin]) begin = cut;
      std::fill(layers.of_node.begin() + static_cast<std::ptrdiff_t>(begin),
                layers.of_node.begin() + static_cast<std::ptrdiff_t>(n + 1), layers.entering_bytes.size());
      layers.entering_bytes.push_back(crossing[begin]);
    }
    weight = n;
  }
  return layers;
}

}  // namespace ddlbench::strategies
