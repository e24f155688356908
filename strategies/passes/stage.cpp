#include "strategies/passes/stage.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>

#include "strategies/passes/sums.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

/// Returns the least total of `cost(block, first, last)`, combined by `combine`, over all divisions of n items into
/// exactly `stages` consecutive blocks. Sets `begins[k][i]` to the first item of block k where blocks 0..k hold the
/// first i items.
double best_cut(std::size_t n, std::size_t stages, auto cost, auto combine,
                std::vector<std::vector<std::size_t>>& begins) {
  std::vector<std::vector<double>> best(stages, std::vector<double>(n + 1, unreachable));
  begins.assign(stages, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t i = 1; i <= n; ++i) best[0][i] = cost(0, 0, i);
  for (std::size_t k = 1; k < stages; ++k)
    for (std::size_t i = k + 1; i <= n; ++i)
      for (std::size_t begin = k; begin < i; ++begin) {
        const double total = combine(best[k - 1][begin], cost(static_cast<int>(k), begin, i));
        if (total < best[k][i]) {
          best[k][i] = total;
          begins[k][i] = begin;
        }
      }
  return best[stages - 1][n];
}

}  // namespace

std::vector<int> balance(std::size_t items, int stages, const StageLoad& load) {
  const auto k = static_cast<std::size_t>(stages);
  std::vector<std::vector<std::size_t>> begins;
  const double heaviest = best_cut(
      items, k, load, [](double a, double b) { return std::max(a, b); }, begins);
  const double bound = heaviest * (1 + 1e-12);
  const auto squared = [&](int block, std::size_t begin, std::size_t end) {
    const double w = load(block, begin, end);
    return w > bound ? unreachable : w * w;
  };
  best_cut(
      items, k, squared, [](double a, double b) { return a + b; }, begins);

  std::vector<int> block(items, 0);
  std::size_t end = items;
  for (std::size_t b = k; b-- > 0;) {
    const std::size_t begin = b == 0 ? 0 : begins[b][end];
    for (std::size_t i = begin; i < end; ++i) block[i] = static_cast<int>(b);
    end = begin;
  }
  return block;
}

std::vector<int> assign_stages(const graph::Graph& training, const Division& division,
                               const program::CostTable& costs) {
  const Layers layers = layers_of(training);
  if (const auto count = static_cast<int>(layers.count()); count < division.stages)
    throw Unsupported(fmt::format(
        "model '{}' has {} layers with weights, fewer than the {} pipeline stages asked for; use at most {}",
        training.name, count, division.stages, count));
  const std::vector<int> block =
      balance(layers.count(), division.stages, stage_load(training, layers, division, costs));
  std::vector<int> stage;
  for (const std::size_t layer : layers.of_node) stage.push_back(block[layer]);
  return stage;
}

StageCosts stage_costs(const graph::Graph& training, const std::vector<int>& stage_of_node, const Division& division,
                       const program::CostTable& costs) {
  // Not 0: messages of one moment are posted together, so none of them may depend on another one.
  constexpr double least = 1e-9;
  StageCosts found;
  found.phases.assign(static_cast<std::size_t>(division.stages), {least, least, least});
  if (!has_times(training, costs)) return {};
  for (std::size_t n = 0; n < training.nodes.size(); ++n) {
    const graph::Node& node = training.nodes[n];
    if (sums_parameter_gradients(node)) continue;
    const double seconds = *seconds_of(training, node, costs);
    const graph::NodeId forward = forward_node_of(training, static_cast<graph::NodeId>(n));
    const int stage = stage_of_node[static_cast<std::size_t>(forward)];
    auto& phases = found.phases[static_cast<std::size_t>(stage)];
    phases[static_cast<std::size_t>(node.phase)] += seconds;
    if (node.phase == graph::Phase::forward && division.recomputation.drops(node.op->kind()))
      phases[static_cast<std::size_t>(graph::Phase::backward_input)] += repeated_share(division, stage) * seconds;
  }
  return found;
}

std::vector<int> stages_of_steps(const ShardedGraph& sharded, const std::vector<int>& stage_of_node) {
  std::vector<int> stages;
  for (const Step& step : sharded.steps)
    stages.push_back(stage_of_node[static_cast<std::size_t>(forward_node_of(sharded.graph, step.node))]);
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
