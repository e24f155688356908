#include "strategies/passes/assign.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>
#include <tuple>

#include "strategies/shares.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

using graph::Placement;
using graph::Role;
using graph::Signature;

namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();
constexpr int channels = 1;  ///< the dimension that channel blocks divide

bool is_state(Role role) {
  return role == Role::parameter || role == Role::statistic;
}

bool is_sharded(Placement placement) {
  return placement.kind == Placement::Kind::sharded;
}

std::optional<graph::TensorId> parameter_of_gradient(const graph::Graph& graph, graph::TensorId tensor) {
  if (graph.tensors[static_cast<std::size_t>(tensor)].role != Role::gradient) return std::nullopt;
  for (const graph::TensorId parameter : graph.with_role(Role::parameter))
    if (graph.gradients[static_cast<std::size_t>(parameter)] == tensor) return parameter;
  return std::nullopt;
}

bool allowed(Placement placement, const AxisRule& rule) {
  return !is_sharded(placement) || (placement.dimension == 0) == rule.shards_batch;
}

/// For each output of a node: its required placement if it is the gradient of a parameter or the observation of a
/// statistic.
using RequiredPlacements = std::vector<std::optional<Placement>>;

RequiredPlacements required_placements(const graph::Graph& training, const graph::Node& node, const AxisRule& rule) {
  RequiredPlacements resting(node.outputs.size());
  if (training.gradients.empty()) return resting;
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    const graph::TensorId output = node.outputs[o];
    if (node.phase != graph::Phase::forward) {
      if (const auto parameter = parameter_of_gradient(training, output))
        resting[o] = stored_placement(rule, training, *parameter);
      continue;
    }
    for (const graph::Observation& observation : training.observations)
      if (observation.observed == output) resting[o] = stored_placement(rule, training, observation.statistic);
  }
  return resting;
}

/// Returns whether the outputs that accumulate over micro-batches have the placement of their parameter or statistic,
/// or are partial sums where that is replicated. A conversion in between could not accumulate in place.
bool fits(const Signature& signature, const RequiredPlacements& resting) {
  for (std::size_t o = 0; o < resting.size(); ++o) {
    if (!resting[o]) continue;
    const bool part_of_sum =
        *resting[o] == graph::replicated() && signature.outputs[o].kind == graph::Placement::Kind::partial_sum;
    if (signature.outputs[o] != *resting[o] && !part_of_sum) return false;
  }
  return true;
}

/// Returns whether `placement` is possible along the axis of `rule`. Where shares are uneven, it must split the tensor
/// at the same samples as the batch.
bool is_possible(const graph::TensorType& type, Placement placement, const AxisRule& rule) {
  if (rule.shares.empty() || !is_sharded(placement)) return divides(type, placement, rule.size);
  const std::int64_t size = type.shape.at(static_cast<std::size_t>(placement.dimension));
  return placement.dimension == 0 && size % (placement.unit * common_parts(rule.shares)) == 0;
}

bool divides_work(const Signature& signature) {
  for (const Placement& placement : signature.inputs)
    if (is_sharded(placement)) return true;
  return false;
}

}  // namespace

bool divides(const graph::TensorType& type, Placement placement, int ranks) {
  if (!is_sharded(placement)) return true;
  const std::int64_t size = type.shape.at(static_cast<std::size_t>(placement.dimension));
  if (size % placement.unit != 0 || size / placement.unit < ranks) return false;
  if (placement.dimension != channels || type.channel_block == 1) return true;
  for (int rank = 0; rank < ranks; ++rank)
    if (graph::part_of(size, ranks, rank, placement.unit).size() % type.channel_block != 0) return false;
  return true;
}

std::vector<Signature> in_units_of(const Signature& signature, const std::vector<Placement>& inputs,
                                   const std::vector<Placement>& outputs) {
  std::vector<std::int64_t> factors;
  const auto collect = [&factors](const std::vector<Placement>& named, const std::vector<Placement>& lying) {
    for (std::size_t i = 0; i < lying.size(); ++i) {
      if (!is_sharded(named[i]) || !is_sharded(lying[i]) || named[i].dimension != lying[i].dimension) continue;
      if (lying[i].unit % named[i].unit != 0) continue;
      const std::int64_t factor = lying[i].unit / named[i].unit;
      if (std::find(factors.begin(), factors.end(), factor) == factors.end()) factors.push_back(factor);
    }
  };
  collect(signature.inputs, inputs);
  collect(signature.outputs, outputs);
  if (factors.empty()) return {signature};
  std::vector<Signature> all;
  for (const std::int64_t factor : factors) {
    Signature& scaled = all.emplace_back(signature);
    for (std::vector<Placement>* placements : {&scaled.inputs, &scaled.outputs})
      for (Placement& placement : *placements)
        if (is_sharded(placement)) placement.unit *= factor;
  }
  return all;
}

Placement stored_placement(const AxisRule& rule, const graph::Graph& graph, graph::TensorId tensor) {
  const Role role = graph.tensors[static_cast<std::size_t>(tensor)].role;
  if (is_state(role)) {
    const auto named = rule.parameters.find(tensor);
    return named == rule.parameters.end() ? graph::replicated() : named->second;
  }
  return rule.shards_batch ? graph::sharded(0, rule.batch_unit) : graph::replicated();
}

double conversion_bytes(Placement from, Placement to, double whole_bytes, int ranks) {
  if (from == to) return 0;
  if (to.is_partial()) return impossible;
  const double share = (ranks - 1.0) / ranks * whole_bytes;
  return from.is_partial() ? 2 * share : share;
}

std::optional<Signature> find_signature(const graph::Graph& graph, graph::NodeId id,
                                        const std::vector<Placement>& inputs, const AxisRule& rule) {
  const graph::Node& node = graph.nodes[static_cast<std::size_t>(id)];
  const auto tensor = [&graph](graph::TensorId t) -> const graph::TensorSpec& {
    return graph.tensors[static_cast<std::size_t>(t)];
  };
  std::vector<graph::TensorType> types;
  for (const auto input : node.inputs) types.push_back(tensor(input).type);
  const RequiredPlacements resting = required_placements(graph, node, rule);
  std::vector<Placement> outputs;
  for (const auto& placement : resting) outputs.push_back(placement.value_or(graph::replicated()));

  std::vector<Signature> candidates;
  for (const Signature& signature : node.op->signatures(types))
    for (Signature& scaled : in_units_of(signature, inputs, outputs)) candidates.push_back(std::move(scaled));
  candidates.push_back({std::vector<Placement>(node.inputs.size(), graph::replicated()),
                        std::vector<Placement>(node.outputs.size(), graph::replicated())});
  std::optional<Signature> best;
  double best_bytes = impossible;
  std::size_t best_conversions = 0;
  for (const Signature& signature : candidates) {
    double total = fits(signature, resting) ? 0 : impossible;
    for (std::size_t o = 0; o < node.outputs.size(); ++o)
      if (!is_possible(tensor(node.outputs[o]).type, signature.outputs[o], rule)) total = impossible;
    std::size_t conversions = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const graph::TensorSpec& spec = tensor(node.inputs[i]);
      const bool legal = is_possible(spec.type, signature.inputs[i], rule) &&
                         (is_state(spec.role) ? signature.inputs[i] == inputs[i] : allowed(signature.inputs[i], rule));
      total += legal ? conversion_bytes(inputs[i], signature.inputs[i], static_cast<double>(graph::bytes(spec.type)),
                                        rule.size)
                     : impossible;
      if (signature.inputs[i] == inputs[i]) continue;
      conversions += inputs[i].is_partial() && is_sharded(signature.inputs[i]) ? 2 : 1;
    }
    const auto rank = [](double bytes, std::size_t count, bool divides) { return std::tuple(bytes, count, !divides); };
    if (total == impossible || (best && rank(total, conversions, divides_work(signature)) >=
                                            rank(best_bytes, best_conversions, divides_work(*best))))
      continue;
    best = signature;
    best_bytes = total;
    best_conversions = conversions;
  }
  return best;
}

Signature choose_signature(const graph::Graph& graph, graph::NodeId id, const std::vector<Placement>& inputs,
                           const AxisRule& rule) {
  if (const auto found = find_signature(graph, id, inputs, rule)) return *found;
  std::string placed;
  for (const Placement& placement : inputs) placed += " " + graph::to_string(placement);
  throw Unsupported(
      fmt::format("layer '{}' cannot be computed in {} parts on the axis '{}' while its inputs lie at{}; use another "
                  "strategy, or another number of ranks on this axis",
                  graph.nodes[static_cast<std::size_t>(id)].name, rule.size, rule.axis, placed));
}

}  // namespace ddlbench::strategies
