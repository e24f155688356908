#include "strategies/passes/synchronize.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>

#include "graph/ops/shape.h"
#include "strategies/synchronization/negotiation.h"
#include "strategies/synchronization/norms.h"

namespace ddlbench::strategies {

using program::Operand;

ChainSynchronizer::ChainSynchronizer(const BucketContext& in, const BucketChain& chain, bool overlap,
                                     const Cycles* cycles, int microbatches)
    : in_(in),
      chain_(chain),
      overlap_(overlap),
      cycles_(cycles),
      microbatches_(static_cast<std::size_t>(microbatches)),
      progress_(in.layout.buckets.size()) {
  if (cycles != nullptr) marks_ = add_marks(in, *cycles);
  for (std::size_t b = 0; b < progress_.size(); ++b)
    for (const std::size_t member : bucket(b).members) bucket_of_[in.storage.gradient(member)] = b;
}

void ChainSynchronizer::begin() {
  for (std::size_t b = 0; b < progress_.size(); ++b) {
    if (bucket(b).elements() == 0) continue;
    BucketSite at = site(b, 0);
    run(chain_.begin, at);
    progress_[b].received = std::move(at.received);
  }
}

void ChainSynchronizer::begin_op() {
  if (cycles_ == nullptr) return;
  while (negotiated_ < cycles_->all.size() && cycles_->all[negotiated_].ops <= begun_) negotiate();
  ++begun_;
}

void ChainSynchronizer::negotiate() {
  append_negotiation(in_, *cycles_, marks_, negotiated_++);
  settle_complete();
}

void ChainSynchronizer::prepare(ValueId value, int microbatch) {
  const BucketPlace* place = in_.storage.place_of(value);
  if (place == nullptr || in_.instances.has_gradients(place->bucket, microbatch)) return;
  const graph::TensorType whole{{bucket(place->bucket).elements()}, in_.storage.gradients().dtype};
  in_.instances.open_gradients(place->bucket, microbatch,
                               in_.instances.staging(fmt::format("gradients of bucket {}", place->bucket), whole).view);
}

void ChainSynchronizer::made(ValueId value, int microbatch) {
  const auto found = bucket_of_.find(value);
  if (found == bucket_of_.end()) return;
  const std::size_t index = found->second;
  Progress& progress = progress_[index];
  if (++progress.made[microbatch] < bucket(index).members.size()) return;
  ++progress.complete;
  if (!chain_.each_microbatch.empty()) return run_microbatch(index, microbatch);
  if (overlap_ && cycles_ == nullptr) settle_complete();
}

void ChainSynchronizer::settle_complete() {
  for (std::size_t b = 0; b < progress_.size(); ++b) {
    if (bucket(b).tied()) continue;
    if (!complete(b)) break;  // in the same order on all ranks, whichever is ready first
    settle(b);
  }
}

bool ChainSynchronizer::complete(std::size_t index) const {
  return progress_[index].complete == microbatches_;
}

void ChainSynchronizer::finish() {
  while (cycles_ != nullptr && negotiated_ < cycles_->all.size()) negotiate();
  std::vector<std::size_t> order(progress_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return bucket(a).tie.parameter < bucket(b).tie.parameter; });
  for (const std::size_t b : order) settle(b);
  if (cycles_ != nullptr) append_confirmation(in_, marks_, progress_.front().gradient);
  if (in_.optimizer.guard.any()) {
    std::vector<Operand> gradients;
    for (const Progress& progress : progress_) gradients.push_back(progress.gradient);
    append_global_norm(in_, gradients);
  }
  for (std::size_t b = 0; b < progress_.size(); ++b) {
    if (!in_.optimizer.measure || bucket(b).elements() == 0) continue;
    BucketSite measured = site(b, last_microbatch());
    progress_[b].norms = append_tensor_norms(measured);
  }
  for (std::size_t b = 0; b < progress_.size(); ++b)
    if (bucket(b).elements() > 0) update(b);
  if (in_.optimizer.guard.skip_overflow) append_loss_scale_update(in_);
}

BucketSite ChainSynchronizer::site(std::size_t index, int microbatch) const {
  BucketSite site{in_, index, microbatch};
  site.gradient = progress_[index].gradient;
  return site;
}

/// Runs the stages of one micro-batch: their results are written for the first one, added for the others.
void ChainSynchronizer::run_microbatch(std::size_t index, int microbatch) {
  const program::View made = in_.instances.at(in_.storage.gradient(bucket(index).members.back()), microbatch).view;
  const Operand sum = in_.shards.part(in_.storage.gradients(), index);
  const bool first = progress_[index].reduced++ == 0;
  BucketSite at = site(index, microbatch);
  at.whole = at.gradient = flat(made.buffer, in_.storage.gradients().dtype, {0, bucket(index).elements()});
  at.part = first ? sum : in_.instances.staging(fmt::format("part of bucket {}", index), sum.type);
  at.partial = bucket(index).partial_axes;
  run(chain_.each_microbatch, at);
  if (first || sum.view.bytes == 0) return;
  at.append("add", program::Compute{{std::make_shared<graph::Add>()}, {sum, at.gradient}, {sum}},
            program::Phase::communication);
}

/// Makes the gradient of a bucket final. Its micro-batches are all complete.
void ChainSynchronizer::settle(std::size_t index) {
  if (progress_[index].settled || bucket(index).elements() == 0) return;
  progress_[index].settled = true;
  const FlatBuffer& gradients = in_.storage.gradients();
  BucketSite at = site(index, last_microbatch());
  at.over_holders = bucket(index).tied();
  if (in_.shards.partition().divides()) at.part = in_.shards.part(gradients, index);
  if (chain_.each_microbatch.empty()) {
    at.whole = in_.shards.partition().keeps_gradients ? in_.shards.whole(gradients, index)
                                                      : in_.storage.transient_gradients(index);
    at.gradient = at.whole;
    at.partial = bucket(index).partial_axes;
  } else {
    at.gradient = at.part;
  }
  run(chain_.complete, at);
  progress_[index].gradient = at.gradient;
}

void ChainSynchronizer::update(std::size_t index) {
  BucketSite at = site(index, last_microbatch());
  if (in_.optimizer.measure) at.norms = &progress_[index].norms;
  at.received = progress_[index].received;
  run(chain_.update, at);
}

}  // namespace ddlbench::strategies
