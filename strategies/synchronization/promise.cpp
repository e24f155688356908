#include "strategies/synchronization/promise.h"

#include <fmt/core.h>
#include <algorithm>

#include "graph/ops/cast.h"
#include "graph/ops/codec.h"
#include "strategies/synchronization/chain.h"

namespace ddlbench::strategies {
namespace {

/// Returns a rule for each bucket, which has its elements in the order of the flat buffer.
std::shared_ptr<program::UpdateRule> rule_of_buckets(const StrategySpec& spec, const graph::Graph& model,
                                                     const FlatLayout& layout) {
  auto rule = std::make_shared<program::UpdateRule>();
  rule->ranks = spec.mesh.data_ranks();
  for (const Bucket& bucket : layout.buckets) {
    program::BucketRule& made = rule->buckets.emplace_back();
    std::vector<std::size_t> members = bucket.members;
    std::sort(members.begin(), members.end());
    for (const std::size_t member : members) {
      const graph::TensorSpec& tensor = model.tensors[static_cast<std::size_t>(layout.parameters[member].tensor)];
      made.parts.push_back({tensor.name, {0, graph::elements(tensor.type.shape)}});
    }
  }
  return rule;
}

program::Promise rounded(const StrategySpec& spec, std::shared_ptr<program::UpdateRule> rule) {
  const bool rounds_sum = !spec.state.states();
  rule->each_microbatch = spec.state.gradients();
  const auto encode = std::make_shared<graph::Cast>(*spec.sync.wire);
  const auto decode = std::make_shared<graph::Cast>(graph::DType::f32);
  for (program::BucketRule& bucket : rule->buckets) {
    bucket.encode = encode, bucket.decode = decode;
    if (rounds_sum) bucket.encode_sum = encode, bucket.decode_sum = decode;
  }
  return {program::Promise::Kind::lossy,
          fmt::format("gradients are rounded to {} before{} the sum over ranks", graph::name(*spec.sync.wire),
                      rounds_sum ? " and after" : ""),
          0, std::move(rule)};
}

program::Promise compressed(const StrategySpec& spec, const FlatLayout& layout,
                            std::shared_ptr<program::UpdateRule> rule) {
  const graph::Codec& codec = *spec.sync.codec;
  for (std::size_t b = 0; b < rule->buckets.size(); ++b) {
    rule->buckets[b].encode = std::make_shared<graph::Encode>(codec, spec.sync.feedback, b);
    rule->buckets[b].decode =
        std::make_shared<graph::Decode>(codec, layout.buckets[b].elements(), 1, graph::DType::f32);
  }
  return {program::Promise::Kind::lossy,
          fmt::format("gradients are compressed by {}{}", codec.text(),
                      spec.sync.feedback ? ", and what that loses is added to the next" : ""),
          0, std::move(rule)};
}

/// Returns a matrix of `size` rows that changes nothing.
program::Matrix identity(std::size_t size) {
  program::Matrix matrix(size, std::vector<double>(size, 0.0));
  for (std::size_t i = 0; i < size; ++i) matrix[i][i] = 1;
  return matrix;
}

program::Matrix mean_of(std::size_t ranks) {
  return program::Matrix(ranks, std::vector<double>(ranks, 1.0 / static_cast<double>(ranks)));
}

/// Rows and columns: the ranks, the global weights g, and their change d. With the mean m, d' = momentum · d +
/// rate · (m − g), g' = g + d', and each rank continues from g' + ahead · d'.
program::Matrix block_momentum(std::size_t ranks, const WeightsSpec& spec) {
  const std::size_t g = ranks, d = ranks + 1;
  const double ahead = spec.nesterov ? spec.momentum : 0;
  std::vector<double> change(ranks + 2, spec.rate / static_cast<double>(ranks));
  change[g] = -spec.rate;
  change[d] = spec.momentum;
  const auto global_and = [&](double times) {
    std::vector<double> row(ranks + 2);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = times * change[i];
    row[g] += 1;
    return row;
  };
  program::Matrix matrix(ranks, global_and(1 + ahead));
  matrix.push_back(global_and(1));
  matrix.push_back(change);
  return matrix;
}

/// Rows and columns: the ranks, and the center.
program::Matrix elastic(std::size_t ranks, double strength) {
  const double share = strength / static_cast<double>(ranks);
  program::Matrix matrix = identity(ranks + 1);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    matrix[rank][rank] -= share;
    matrix[rank][ranks] = share;
    matrix[ranks][rank] = share;
  }
  matrix[ranks][ranks] -= strength;
  return matrix;
}

program::CopiesRule averaging_rule(const StrategySpec& spec) {
  using Kind = WeightsSpec::Kind;
  const auto ranks = static_cast<std::size_t>(spec.mesh.data_ranks());
  program::CopiesRule rule{synchronization_of(spec).cadence, {}, {}};
  if (spec.weights.synchronous_steps > 0) rule.bodies.push_back({.sums_gradients = true});
  if (spec.weights.every > 1) rule.bodies.emplace_back();
  program::CopiesStep& averages = rule.bodies.emplace_back();
  if (spec.weights.kind == Kind::block_momentum) {
    averages.weights = block_momentum(ranks, spec.weights);
    rule.auxiliaries = {true, false};
  } else if (spec.weights.kind == Kind::elastic) {
    averages.weights = elastic(ranks, spec.weights.strength);
    rule.auxiliaries = {true};
  } else {
    averages.weights = mean_of(ranks);
    if (spec.weights.averages_states) averages.states = mean_of(ranks);
  }
  return rule;
}

program::CopiesRule gossip_rule(const StrategySpec& spec) {
  const int ranks = spec.mesh.data_ranks();
  program::CopiesRule rule;
  rule.cadence.cycle.clear();
  for (const std::vector<int>& distances : gossip_distances(spec.weights, ranks)) {
    program::CopiesStep step{.mixes_first = true, .weights = identity(static_cast<std::size_t>(ranks))};
    const double share = 1.0 / static_cast<double>(distances.size() + 1);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<double>& row = step.weights[static_cast<std::size_t>(rank)];
      row[static_cast<std::size_t>(rank)] = share;
      for (const int distance : distances) row[static_cast<std::size_t>((rank - distance + ranks) % ranks)] += share;
    }
    rule.cadence.cycle.push_back({static_cast<int>(rule.bodies.size()), 1});
    rule.bodies.push_back(std::move(step));
  }
  return rule;
}

program::Promise with_own_weights(const StrategySpec& spec, std::shared_ptr<program::UpdateRule> rule) {
  const bool gossips = spec.weights.gossips();
  rule->copies = gossips ? gossip_rule(spec) : averaging_rule(spec);
  return {program::Promise::Kind::lossy,
          gossips ? "each rank updates its own weights, and averages them with its neighbours' in every step"
                  : fmt::format("each rank updates its own weights, and all ranks average them every {} {}",
                                spec.weights.every, spec.weights.every == 1 ? "step" : "steps"),
          0, std::move(rule)};
}

}  // namespace

program::Promise promise_of(const StrategySpec& spec, const graph::Graph& model, const FlatLayout& layout) {
  if (spec.weights.own()) return with_own_weights(spec, rule_of_buckets(spec, model, layout));
  if (spec.sync.codec) return compressed(spec, layout, rule_of_buckets(spec, model, layout));
  if (spec.sync.wire && *spec.sync.wire != layout.dtype) return rounded(spec, rule_of_buckets(spec, model, layout));
  return {};
}

}  // namespace ddlbench::strategies
