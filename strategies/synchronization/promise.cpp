#include "strategies/synchronization/promise.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "graph/ops/cast.h"
#include "graph/ops/codec.h"
#include "strategies/passes/factors.h"
#include "strategies/passes/without_flush.h"
#include "strategies/synchronization/chain.h"
#include "strategies/synchronization/copies_rule.h"

namespace ddlbench::strategies {
namespace {

/// Returns a rule for each bucket, which has its elements in the order of the flat buffer.
std::shared_ptr<program::UpdateRule> rule_of_buckets(const StrategySpec& spec, const graph::Graph& model,
                                                     const FlatLayout& layout) {
  auto rule = std::make_shared<program::UpdateRule>();
  rule->ranks = spec.mesh.data_ranks();
  rule->steps.emplace_back();
  for (const Bucket& bucket : layout.buckets) {
    program::BucketRule& made = rule->steps.front().buckets.emplace_back();
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
  for (program::BucketRule& bucket : rule->steps.front().buckets) {
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
  const SyncSpec& sync = spec.sync;
  const std::vector<program::BucketRule> plain = std::move(rule->steps.front().buckets);
  rule->steps.clear();
  rule->cadence = synchronization_of(spec).cadence;
  for (const graph::Codec& codec : codecs_of_steps(sync)) {
    std::vector<program::BucketRule>& buckets = rule->steps.emplace_back().buckets = plain;
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      buckets[b].encode = std::make_shared<graph::Encode>(codec, sync.feedback, b);
      buckets[b].decode = std::make_shared<graph::Decode>(codec, layout.buckets[b].elements(), 1, graph::DType::f32);
      buckets[b].momentum = sync.momentum_correction;
    }
  }
  return {program::Promise::Kind::lossy,
          fmt::format("{} are compressed by {}{}", sync.momentum_correction > 0 ? "velocities" : "gradients",
                      sync.codec->text(), sync.feedback ? ", and what that loses is added to the next" : ""),
          0, std::move(rule)};
}

program::Promise with_own_weights(const StrategySpec& spec, std::shared_ptr<program::UpdateRule> rule) {
  const bool gossips = spec.weights.gossips();
  add_copies(spec, *rule);
  return {program::Promise::Kind::lossy,
          gossips ? "each rank updates its own weights, and averages them with its neighbours' in every step"
                  : fmt::format("each rank updates its own weights, and all ranks average them every {}",
                                counted(spec.weights.every, "step")),
          0, std::move(rule)};
}

program::Promise approximated(const StrategySpec& spec, const graph::Graph& model, const FlatLayout& layout,
                              std::shared_ptr<program::UpdateRule> rule) {
  const int rank = spec.sync.approximation_rank;
  std::vector<program::BucketRule>& buckets = rule->steps.front().buckets;
  for (std::size_t b = 0; b < buckets.size(); ++b)
    buckets[b].low_rank = program::LowRankRule{low_rank_layout(layout, b, rank), factors_of(layout, model, b, rank)};
  return {program::Promise::Kind::lossy,
          fmt::format("gradients of matrices are approximated with rank {}, and what that loses is added to the next",
                      rank),
          0, std::move(rule)};
}

program::Promise delayed(std::map<std::string, std::int64_t> delays, const Pipeline& pipeline) {
  const bool forward_only = keeps_newest_only(pipeline), predicts = pipeline.weights == WeightVersions::predicted,
             corrects = pipeline.weights == WeightVersions::corrected;
  const auto by_delay = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(delays.begin(), delays.end(), by_delay);
  const std::int64_t fewest = least->second, greatest = most->second;
  auto rule = std::make_shared<program::UpdateRule>();
  rule->steps.emplace_back();
  rule->delays = std::move(delays);
  rule->delays_forward_only = forward_only;
  rule->predicts = predicts;
  rule->corrects = corrects;
  rule->correction_decay = pipeline.correction_decay;
  rule->rate_steps = pipeline.rate_steps;
  return {
      program::Promise::Kind::stale,
      fmt::format("{} weights {} before{}{}",
                  predicts       ? "forward passes predict their weights from"
                  : forward_only ? "forward passes use"
                                 : "gradients are of",
                  fewest == greatest ? counted(greatest, "update") : fmt::format("{} to {} updates", fewest, greatest),
                  corrects ? ", and backward passes use an estimate of these" : "",
                  pipeline.rate_steps > 0
                      ? fmt::format("; learning rates are lower in the first {} steps", pipeline.rate_steps)
                      : ""),
      static_cast<int>(greatest), std::move(rule)};
}

}  // namespace

program::Promise promise_of(const StrategySpec& spec, const graph::Graph& model, const FlatLayout& layout,
                            std::map<std::string, std::int64_t> delays) {
  if (!delays.empty()) return delayed(std::move(delays), spec.timing());
  if (spec.weights.own()) return with_own_weights(spec, rule_of_buckets(spec, model, layout));
  if (spec.sync.codec) return compressed(spec, layout, rule_of_buckets(spec, model, layout));
  if (spec.sync.approximation_rank > 0) return approximated(spec, model, layout, rule_of_buckets(spec, model, layout));
  if (spec.sync.wire && *spec.sync.wire != layout.dtype) return rounded(spec, rule_of_buckets(spec, model, layout));
  return {};
}

}  // namespace ddlbench::strategies
