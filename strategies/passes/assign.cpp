#include "strategies/passes/assign.h"

#include <limits>
#include <optional>
#include <tuple>

#include "graph/error.h"

namespace ddlbench::strategies {

using graph::Placement;
using graph::Role;
using graph::Signature;

namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();

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

/// The gradient of a parameter is made as the parameter rests, or as parts of a sum where that is whole: a conversion
/// could not add up micro-batches in place.
bool fits_parameters(const graph::Graph& graph, const graph::Node& node, const Signature& signature,
                     const AxisRule& rule) {
  if (graph.gradients.empty() || node.phase == graph::Phase::forward) return true;
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    const auto parameter = parameter_of_gradient(graph, node.outputs[o]);
    if (!parameter) continue;
    const Placement resting = resting_placement(rule, graph, *parameter);
    const bool part_of_sum = resting == graph::replicated() && signature.outputs[o].is_partial();
    if (signature.outputs[o] != resting && !part_of_sum) return false;
  }
  return true;
}

bool divides_work(const Signature& signature) {
  for (const Placement& placement : signature.inputs)
    if (is_sharded(placement)) return true;
  return false;
}

}  // namespace

Signature in_units_of(Signature signature, const std::vector<Placement>& inputs) {
  std::int64_t factor = 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Placement& wanted = signature.inputs[i];
    if (!is_sharded(wanted) || !is_sharded(inputs[i]) || wanted.dimension != inputs[i].dimension) continue;
    if (inputs[i].unit % wanted.unit != 0) continue;
    factor = inputs[i].unit / wanted.unit;
    break;
  }
  for (Placement& placement : signature.inputs)
    if (is_sharded(placement)) placement.unit *= factor;
  for (Placement& placement : signature.outputs)
    if (is_sharded(placement)) placement.unit *= factor;
  return signature;
}

Placement resting_placement(const AxisRule& rule, const graph::Graph& graph, graph::TensorId tensor) {
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

Signature choose_signature(const graph::Graph& graph, graph::NodeId id, const std::vector<Placement>& inputs,
                           const AxisRule& rule) {
  const graph::Node& node = graph.nodes[static_cast<std::size_t>(id)];
  std::vector<graph::TensorType> types;
  for (const auto input : node.inputs) types.push_back(graph.tensors[static_cast<std::size_t>(input)].type);

  std::vector<Signature> candidates = node.op->signatures(types);
  candidates.push_back({std::vector<Placement>(node.inputs.size(), graph::replicated()),
                        std::vector<Placement>(node.outputs.size(), graph::replicated())});
  Signature best;
  double best_bytes = impossible;
  std::size_t best_conversions = 0;
  for (Signature& candidate : candidates) {
    const Signature signature = in_units_of(std::move(candidate), inputs);
    double total = fits_parameters(graph, node, signature, rule) ? 0 : impossible;
    std::size_t conversions = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto& spec = graph.tensors[static_cast<std::size_t>(node.inputs[i])];
      const bool legal = is_state(spec.role) ? signature.inputs[i] == inputs[i] : allowed(signature.inputs[i], rule);
      total += legal ? conversion_bytes(inputs[i], signature.inputs[i], static_cast<double>(graph::bytes(spec.type)),
                                        rule.size)
                     : impossible;
      if (signature.inputs[i] == inputs[i]) continue;
      conversions += inputs[i].is_partial() && is_sharded(signature.inputs[i]) ? 2 : 1;
    }
    const auto rank = [](double bytes, std::size_t count, bool divides) { return std::tuple(bytes, count, !divides); };
    if (total == impossible ||
        rank(total, conversions, divides_work(signature)) >= rank(best_bytes, best_conversions, divides_work(best)))
      continue;
    best = signature;
    best_bytes = total;
    best_conversions = conversions;
  }
  std::string placed;
  for (const Placement& placement : inputs) placed += " " + graph::to_string(placement);
  require(best_bytes != impossible,
          "layer '" + node.name + "' cannot run on axis '" + rule.axis + "' with its inputs at" + placed);
  return best;
}

}  // namespace ddlbench::strategies
