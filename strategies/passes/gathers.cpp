#include "strategies/passes/gathers.h"

#include <fmt/core.h>
#include <algorithm>
#include <tuple>

namespace ddlbench::strategies {

Gathers::Gathers(const ShardedGraph& sharded, const FlatLayout& layout, const Storage& storage, const Shards& shards,
                 const std::vector<TimedWork>& works, const std::vector<std::vector<PlacedStep>>& steps,
                 Instances& instances, Writer& writer)
    : sharded_(sharded), layout_(layout), storage_(storage), shards_(shards), instances_(instances), writer_(writer) {
  if (!shards.partition().parameters()) return;
  std::map<std::tuple<std::size_t, int, int>, std::size_t> kept;  // by bucket, stage and micro-batch
  for (std::size_t w = 0; w < works.size(); ++w)
    for (const PlacedStep& placed : steps[w])
      for (const std::size_t bucket : buckets_of(placed.step)) {
        if (use_of_.count({w, bucket}) > 0) continue;
        const int stage = works[w].stage, microbatch = works[w].work.microbatch;
        const auto [use, is_new] = kept.emplace(std::tuple(bucket, stage, microbatch), uses_.size());
        if (is_new || shards.partition().reshard) {
          use->second = uses_.size();
          uses_.push_back({bucket, stage, microbatch, {}});
        }
        use_of_[{w, bucket}] = use->second;
      }
}

std::vector<std::size_t> Gathers::buckets_of(int step) const {
  std::vector<std::size_t> buckets;
  for (const ValueId input : sharded_.steps[static_cast<std::size_t>(step)].inputs) {
    const BucketPlace* place = storage_.place_of(input);
    if (place != nullptr && sharded_.is_source(input, graph::Role::parameter)) buckets.push_back(place->bucket);
  }
  return buckets;
}

void Gathers::prepare(std::size_t work, int step) {
  if (uses_.empty()) return;
  for (const std::size_t bucket : buckets_of(step)) {
    const std::size_t use = use_of_.at({work, bucket});
    const std::size_t ahead = use + 1 + static_cast<std::size_t>(shards_.partition().prefetch);
    while (issued_ < std::min(ahead, uses_.size())) issue(uses_[issued_++]);
    instances_.use_parameters(bucket, uses_[use].whole);
  }
}

void Gathers::issue(Use& use) {
  const std::string name = fmt::format("parameters of bucket {}", use.bucket);
  program::CollectiveCall call;
  call.kind = graph::Collective::all_gather;
  call.group = {0, {shards_.partition().axis}, {}};
  call.counts = shards_.counts(use.bucket);
  call.input = shards_.own(storage_.parameters(), use.bucket);
  call.output = instances_.staging(name, {{layout_.buckets[use.bucket].elements()}, storage_.parameters().dtype});
  use.whole = call.output.view;
  writer_.append("gather " + name, std::move(call), program::Phase::communication, use.stage, use.microbatch);
}

}  // namespace ddlbench::strategies
