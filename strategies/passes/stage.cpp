#include "strategies/passes/stage.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>
#include <optional>

#include "strategies/passes/sums.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

/// Returns the least total of `cost(first, last)`, combined by `combine`, over all divisions of n items into exactly
/// `stages` consecutive blocks. Sets `begins[k][i]` to the first item of block k where blocks 0..k hold the first i
/// items.
double best_cut(std::size_t n, std::size_t stages, auto cost, auto combine,
                std::vector<std::vector<std::size_t>>& begins) {
  std::vector<std::vector<double>> best(stages, std::vector<double>(n + 1, unreachable));
  begins.assign(stages, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t i = 1; i <= n; ++i) best[0][i] = cost(0, i);
  for (std::size_t k = 1; k < stages; ++k)
    for (std::size_t i = k + 1; i <= n; ++i)
      for (std::size_t begin = k; begin < i; ++begin) {
        const double total = combine(best[k - 1][begin], cost(begin, i));
        if (total < best[k][i]) {
          best[k][i] = total;
          begins[k][i] = begin;
        }
      }
  return best[stages - 1][n];
}

/// Returns the seconds of a node at unsharded shapes, where `costs` has them: the time to write its results or, if that
/// is not known, to accumulate them. The last term of a tied weight's gradient is only ever accumulated.
std::optional<double> seconds(const graph::Graph& graph, const graph::Node& node, const program::CostTable& costs) {
  if (node.op->is_view()) return 0;
  program::Compute compute;
  compute.op = node.op;
  for (const auto t : node.inputs) compute.inputs.push_back({{}, graph.tensors[static_cast<std::size_t>(t)].type});
  for (const auto t : node.outputs) compute.outputs.push_back({{}, graph.tensors[static_cast<std::size_t>(t)].type});
  for (const bool accumulate : {false, true}) {
    compute.accumulate = accumulate;
    const program::OpCost* cost = costs.find(program::cost_key(compute));
    if (cost != nullptr && cost->seconds > 0) return cost->seconds;
  }
  return std::nullopt;
}

double flops(const graph::Graph& graph, const graph::Node& node) {
  return node.op->flops(graph.types_of(node.inputs), graph.types_of(node.outputs));
}

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

/// Returns the layer of every forward node. The boundary between two layers lies between their weights, where the
/// fewest bytes cross: a pooling stays with the convolution before it, and a norm after a residual sum goes with the
/// layer that reads it.
std::vector<std::size_t> layers_of(const graph::Graph& training) {
  const std::size_t nodes = graph::model_nodes(training);
  const std::vector<std::size_t> crossing = crossing_bytes(training, nodes);
  std::vector<std::size_t> layer(nodes, 0);
  std::size_t layers = 0;
  std::optional<std::size_t> weight;  // the last node with a weight
  for (std::size_t n = 0; n < nodes; ++n) {
    layer[n] = layers;
    if (!has_weight(training, training.nodes[n])) continue;
    if (weight) {
      std::size_t begin = n;
      for (std::size_t cut = n; cut > *weight; --cut)
        if (crossing[cut] < crossing[begin]) begin = cut;
      ++layers;
      std::fill(layer.begin() + static_cast<std::ptrdiff_t>(begin), layer.begin() + static_cast<std::ptrdiff_t>(n + 1),
                layers);
    }
    weight = n;
  }
  return layer;
}

}  // namespace

std::vector<int> balance(const std::vector<double>& weights, int stages) {
  const std::size_t n = weights.size();
  const auto k = static_cast<std::size_t>(stages);
  std::vector<double> sums(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + weights[i];
  const auto weight = [&sums](std::size_t begin, std::size_t end) { return sums[end] - sums[begin]; };

  std::vector<std::vector<std::size_t>> begins;
  const double heaviest = best_cut(
      n, k, weight, [](double a, double b) { return std::max(a, b); }, begins);
  const double bound = heaviest * (1 + 1e-12);
  const auto squared = [&](std::size_t begin, std::size_t end) {
    const double w = weight(begin, end);
    return w > bound ? unreachable : w * w;
  };
  best_cut(
      n, k, squared, [](double a, double b) { return a + b; }, begins);

  std::vector<int> block(n, 0);
  std::size_t end = n;
  for (std::size_t b = k; b-- > 0;) {
    const std::size_t begin = b == 0 ? 0 : begins[b][end];
    for (std::size_t i = begin; i < end; ++i) block[i] = static_cast<int>(b);
    end = begin;
  }
  return block;
}

std::vector<int> assign_stages(const graph::Graph& training, int stages, const program::CostTable& costs) {
  const std::vector<std::size_t> layer_of_node = layers_of(training);
  std::vector<double> time(layer_of_node.back() + 1, 0), work(time.size(), 0);
  bool all_known = true;
  for (std::size_t n = 0; n < training.nodes.size(); ++n) {
    const graph::Node& node = training.nodes[n];
    if (sums_parameter_gradients(node)) continue;  // accumulated with its terms, or computed across stages: never timed
    const std::size_t item = layer_of_node[n < layer_of_node.size() ? n : static_cast<std::size_t>(node.origin)];
    const std::optional<double> known = seconds(training, node, costs);
    all_known = all_known && known.has_value();
    time[item] += known.value_or(0);
    work[item] += flops(training, node);
  }
  const auto layers = static_cast<int>(time.size());
  if (layers < stages)
    throw Unsupported(fmt::format(
        "model '{}' has {} layers with weights, fewer than the {} pipeline stages asked for; use at most {}",
        training.name, layers, stages, layers));
  const std::vector<int> block = balance(all_known ? time : work, stages);
  std::vector<int> stage;
  for (const std::size_t layer : layer_of_node) stage.push_back(block[layer]);
  return stage;
}

StageCosts stage_costs(const graph::Graph& training, const std::vector<int>& stage_of_node,
                       const program::CostTable& costs) {
  // Not 0: messages of one moment are posted together, so none of them may depend on another one.
  constexpr double least = 1e-9;
  StageCosts found;
  found.phases.assign(static_cast<std::size_t>(*std::max_element(stage_of_node.begin(), stage_of_node.end())) + 1,
                      {least, least, least});
  for (std::size_t n = 0; n < training.nodes.size(); ++n) {
    const graph::Node& node = training.nodes[n];
    if (sums_parameter_gradients(node)) continue;
    const std::optional<double> known = seconds(training, node, costs);
    if (!known) return {};
    const int stage = stage_of_node[n < stage_of_node.size() ? n : static_cast<std::size_t>(node.origin)];
    found.phases[static_cast<std::size_t>(stage)][static_cast<std::size_t>(node.phase)] += *known;
  }
  return found;
}

std::vector<int> stages_of_steps(const ShardedGraph& sharded, const std::vector<int>& stage_of_node) {
  std::vector<int> stages;
  for (const Step& step : sharded.steps) {
    const graph::Node& node = sharded.graph.nodes[static_cast<std::size_t>(step.node)];
    const graph::NodeId forward = node.phase == graph::Phase::forward ? step.node : node.origin;
    stages.push_back(stage_of_node[static_cast<std::size_t>(forward)]);
  }
  return stages;
}

std::string describe_stages(const graph::Graph& graph, const std::vector<int>& stage_of_node) {
  std::string text;
  for (std::size_t i = 0; i < stage_of_node.size(); ++i) {
    if (i > 0) text += stage_of_node[i] == stage_of_node[i - 1] ? " " : " | ";
    text += graph.nodes[i].name;
  }
  return text;
}

}  // namespace ddlbench::strategies
