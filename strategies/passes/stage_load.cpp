#include "strategies/passes/stage_load.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "strategies/passes/op_times.h"
#include "strategies/passes/sums.h"

namespace ddlbench::strategies {
namespace {

/// Sums over consecutive layers.
class LayerSums {
 public:
  explicit LayerSums(std::size_t layers) : sums_(layers + 1, 0) {}

  void add(std::size_t layer, double amount) { sums_[layer + 1] += amount; }
  void complete() {
    for (std::size_t i = 1; i < sums_.size(); ++i) sums_[i] += sums_[i - 1];
  }
  double of(std::size_t begin, std::size_t end) const { return sums_[end] - sums_[begin]; }

 private:
  std::vector<double> sums_;
};

double flops(const graph::Graph& graph, const graph::Node& node) {
  return node.op->flops(graph.types_of(node.inputs), graph.types_of(node.outputs));
}

/// The work of all passes, and of the forward ops whose results are dropped, in seconds or FLOPs.
struct LayerWork {
  LayerSums all, dropped;
};

LayerWork work_of(const graph::Graph& training, const Layers& layers, const Recomputation& recomputation, auto amount) {
  LayerWork work{LayerSums(layers.count()), LayerSums(layers.count())};
  for (std::size_t n = 0; n < training.nodes.size(); ++n) {
    const graph::Node& node = training.nodes[n];
    if (sums_parameter_gradients(node)) continue;  // accumulated with its terms, or computed across stages: never timed
    const std::size_t layer = layers.of(training, n);
    work.all.add(layer, amount(node));
    const bool is_dropped = node.phase == graph::Phase::forward && recomputation.drops(node.op->kind());
    if (is_dropped) work.dropped.add(layer, amount(node));
  }
  work.all.complete();
  work.dropped.complete();
  return work;
}

/// Returns the seconds of the messages of one micro-batch, as if one rank had all of its samples: at each end, a tensor
/// in one direction and its gradient in the other one.
double communication(const Layers& layers, const Division& division, int stage, std::size_t begin, std::size_t end) {
  const auto is_sent = [&division](int to) {  // balance() also tries last stages with layers behind them
    const auto at = static_cast<std::size_t>(to);
    return at >= division.follows_own_rank.size() || !division.follows_own_rank[at];
  };
  double bytes = 0;
  if (begin > 0 && is_sent(stage)) bytes += static_cast<double>(layers.entering_bytes[begin]);
  if (end < layers.count() && is_sent(stage + 1)) bytes += static_cast<double>(layers.entering_bytes[end]);
  return 2 * bytes * division.tensor_ranks / division.link_bytes_per_second;
}

/// Returns the bytes of the parameters that each layer uses.
LayerSums parameter_bytes(const graph::Graph& training, const Layers& layers) {
  LayerSums bytes(layers.count());
  std::set<std::pair<std::size_t, graph::TensorId>> counted;
  for (std::size_t n = 0; n < layers.of_node.size(); ++n)
    for (const graph::TensorId id : training.nodes[n].inputs) {
      const graph::TensorSpec& tensor = training.tensors[static_cast<std::size_t>(id)];
      if (tensor.role != graph::Role::parameter || !counted.emplace(layers.of_node[n], id).second) continue;
      bytes.add(layers.of_node[n], static_cast<double>(graph::bytes(tensor.type)));
    }
  bytes.complete();
  return bytes;
}

/// Returns the seconds per micro-batch of the ring all-reduce, once per step, of a stage of several ranks, as if one
/// data-parallel rank had all samples. A stage of one rank sums over the data axis alone, during its backward passes.
double all_reduce_seconds(const Division& division, int ranks, double bytes) {
  if (ranks == 1) return 0;
  const int members = ranks * division.data_ranks;
  const double sent = 2 * bytes * (members - 1) / members;
  return sent * division.data_ranks / division.link_bytes_per_second / division.microbatches;
}

/// Bytes of a stage, by its first layer and its last one.
struct StageBytes {
  double parameters = 0;
  double kept = 0, dropped = 0;  ///< of the forward results that backward ops read
};

class StageMemory {
 public:
  StageMemory(const graph::Graph& training, const Layers& layers, const Recomputation& recomputation)
      : training_(training),
        recomputation_(recomputation),
        producer_(training.tensors.size(), graph::absent),
        nodes_(layers.count()),
        bytes_(layers.count()) {
    for (std::size_t n = 0; n < training.nodes.size(); ++n) {
      for (const graph::TensorId id : training.nodes[n].outputs)
        producer_[static_cast<std::size_t>(id)] = static_cast<graph::NodeId>(n);
      nodes_[layers.of(training, n)].push_back(&training.nodes[n]);
    }
    for (std::size_t begin = 0; begin < layers.count(); ++begin) measure_from(begin);
  }

  const StageBytes& of(std::size_t begin, std::size_t end) const { return bytes_[begin][end - 1 - begin]; }

 private:
  void measure_from(std::size_t begin) {
    std::vector<bool> counted(training_.tensors.size(), false);
    StageBytes bytes;
    for (std::size_t layer = begin; layer < nodes_.size(); ++layer) {
      for (const graph::Node* node : nodes_[layer])
        for (const graph::TensorId input : node->inputs) {
          const auto id = static_cast<std::size_t>(stored(input));
          if (!counted[id] && add(*node, id, bytes)) counted[id] = true;
        }
      bytes_[begin].push_back(bytes);
    }
  }

  /// Returns whether `node` makes its stage keep the tensor, and then adds its bytes.
  bool add(const graph::Node& node, std::size_t id, StageBytes& bytes) const {
    const graph::TensorSpec& tensor = training_.tensors[id];
    const auto size = static_cast<double>(graph::bytes(tensor.type));
    if (tensor.role == graph::Role::parameter) {
      bytes.parameters += size;
      return true;
    }
    if (node.phase == graph::Phase::forward || producer_[id] == graph::absent) return false;
    const graph::Node& producer = training_.nodes[static_cast<std::size_t>(producer_[id])];
    if (producer.phase != graph::Phase::forward) return false;
    (recomputation_.drops(producer.op->kind()) ? bytes.dropped : bytes.kept) += size;
    return true;
  }

  /// Returns the tensor in whose memory a tensor lies: that of a view's input.
  graph::TensorId stored(graph::TensorId id) const {
    while (true) {
      const graph::NodeId made_by = producer_[static_cast<std::size_t>(id)];
      if (made_by == graph::absent) return id;
      const graph::Node& node = training_.nodes[static_cast<std::size_t>(made_by)];
      if (!node.op->is_view()) return id;
      id = node.inputs[0];
    }
  }

  const graph::Graph& training_;
  const Recomputation& recomputation_;
  std::vector<graph::NodeId> producer_;                 ///< by tensor
  std::vector<std::vector<const graph::Node*>> nodes_;  ///< by layer
  std::vector<std::vector<StageBytes>> bytes_;
};

double memory(const StageBytes& bytes, const Layers& layers, const Division& division, int stage, std::size_t begin) {
  const auto at = static_cast<std::size_t>(stage);
  const double held = division.uses.empty() ? 1 : division.uses[at].held;
  double activations = held * (bytes.kept + bytes.dropped);
  if (division.recomputation.applies_to(stage)) {
    const bool is_full = division.recomputation.kind == Recomputation::Kind::full;
    const double entering = is_full ? static_cast<double>(layers.entering_bytes[begin]) : 0;
    activations = held * (bytes.kept + entering) + bytes.dropped;
  }
  return division.parameter_copies[at] * bytes.parameters + activations / division.data_ranks;
}

}  // namespace

std::optional<double> seconds_of(const graph::Graph& graph, const graph::Node& node, const program::CostTable& costs) {
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

double repeated_share(const Division& division, int stage) {
  const bool repeats = !division.uses.empty() && division.recomputation.applies_to(stage);
  return repeats ? division.uses[static_cast<std::size_t>(stage)].repeated : 0;
}

bool has_times(const graph::Graph& training, const program::CostTable& costs) {
  return std::all_of(training.nodes.begin(), training.nodes.end(), [&](const graph::Node& node) {
    return sums_parameter_gradients(node) || seconds_of(training, node, costs).has_value();
  });
}

StageLoad stage_load(const graph::Graph& training, const Layers& layers, const Division& division,
                     const program::CostTable& costs) {
  if (division.balance == Balance::memory) {
    const auto all = std::make_shared<StageMemory>(training, layers, division.recomputation);
    return [&layers, &division, all](int stage, std::size_t begin, std::size_t end) {
      return memory(all->of(begin, end), layers, division, stage, begin);
    };
  }
  const bool measured = division.balance != Balance::flops && has_times(training, costs);
  const bool communicates = division.balance == Balance::time_and_communication;
  const double assumed_rate = communicates ? assumed_flops_per_second : 1;
  LayerWork work = work_of(training, layers, division.recomputation, [&](const graph::Node& node) {
    return measured ? *seconds_of(training, node, costs) : flops(training, node) / assumed_rate;
  });
  return [&layers, &division, communicates, work = std::move(work),
          bytes = communicates ? parameter_bytes(training, layers) : LayerSums(layers.count())](
             int stage, std::size_t begin, std::size_t end) {
    const int ranks = division.ranks_per_stage.empty() ? 1 : division.ranks_per_stage[static_cast<std::size_t>(stage)];
    const double repeated = repeated_share(division, stage) * work.dropped.of(begin, end);
    const double passes = work.all.of(begin, end) + repeated;
    if (!communicates) return passes / ranks;
    return (passes + communication(layers, division, stage, begin, end)) / ranks +
           all_reduce_seconds(division, ranks, bytes.of(begin, end));
  };
}

}  // namespace ddlbench::strategies
