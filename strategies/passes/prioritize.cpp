#include "strategies/passes/prioritize.h"

namespace ddlbench::strategies {
namespace {

BucketSite site_of(const BucketContext& in, std::size_t bucket) {
  BucketSite site{in, bucket, in.position.microbatches - 1};
  site.gradient = in.shards.whole(in.storage.gradients(), bucket);
  return site;
}

void sum(const BucketContext& in, const BucketChain& chain, const Slice& slice) {
  BucketSite at = site_of(in, slice.bucket);
  const std::int64_t begin = at.bucket().begin;
  at.slice = slice.index;
  at.gradient = flat(in.storage.gradients().id, in.storage.gradients().dtype,
                     {begin + slice.elements.begin, begin + slice.elements.end});
  at.partial = at.bucket().partial_axes;
  run(chain.complete, at);
}

void update(const BucketContext& in, const BucketChain& chain, std::size_t bucket) {
  BucketSite at = site_of(in, bucket);
  run(chain.update, at);
}

}  // namespace

PrioritySynchronizer::PrioritySynchronizer(const BucketContext& in, const BucketChain& chain, const SliceOrder& order)
    : in_(in), chain_(chain), order_(order), outdated_(in.layout.buckets.size(), chain.completes_previous_step) {
  for (std::size_t b = 0; b < in.layout.buckets.size(); ++b)
    for (const std::size_t member : in.layout.buckets[b].members) bucket_of_[in.layout.parameters[member].tensor] = b;
}

void PrioritySynchronizer::begin() {
  if (!chain_.completes_previous_step) return;
  in_.writer.set_steps_back(1);
  for (const Slice& slice : order_.in_next_step) sum(in_, chain_, slice);
  in_.writer.set_steps_back(0);
}

void PrioritySynchronizer::begin_op() {
  sum_until(begun_++);
}

void PrioritySynchronizer::before_read(graph::TensorId tensor) {
  const auto found = bucket_of_.find(tensor);
  if (found != bucket_of_.end()) update_outdated(found->second);
}

void PrioritySynchronizer::update_outdated(std::size_t bucket) {
  if (!outdated_[bucket]) return;
  outdated_[bucket] = false;
  in_.writer.set_steps_back(1);
  update(in_, chain_, bucket);
  in_.writer.set_steps_back(0);
}

void PrioritySynchronizer::finish() {
  sum_until(begun_);
  for (const std::size_t bucket : order_.update_order) update_outdated(bucket);  // those that no op has read
}

/// Sums what is due when so many ops have ended.
void PrioritySynchronizer::sum_until(std::size_t ops) {
  while (summed_ < order_.in_backward.size() && order_.in_backward[summed_].ops <= ops)
    sum(in_, chain_, order_.in_backward[summed_++]);
}

void append_rest(const BucketContext& in, const BucketChain& chain, const SliceOrder& order) {
  for (const Slice& slice : order.in_next_step) sum(in, chain, slice);
  for (const std::size_t bucket : order.update_order) update(in, chain, bucket);
}

}  // namespace ddlbench::strategies
