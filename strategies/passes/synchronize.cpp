#include "strategies/passes/synchronize.h"

#include <algorithm>
#include <numeric>

#include "graph/ops/shape.h"

namespace ddlbench::strategies {

using program::Operand;
using program::View;

Synchronizer::Synchronizer(const FlatLayout& layout, const Storage& storage, const Shards& shards,
                           const RolePosition& position, const graph::Optimizer& optimizer, bool overlap,
                           Instances& instances, Writer& writer)
    : layout_(layout),
      storage_(storage),
      shards_(shards),
      position_(position),
      optimizer_(optimizer),
      overlap_(overlap),
      instances_(instances),
      writer_(writer),
      progress_(layout.buckets.size()) {
  for (std::size_t b = 0; b < layout.buckets.size(); ++b)
    for (const std::size_t member : bucket(b).members) bucket_of_[storage.gradient(member)] = b;
}

void Synchronizer::prepare(ValueId value, int microbatch) {
  const BucketPlace* place = storage_.place_of(value);
  if (place == nullptr || instances_.has_gradients(place->bucket, microbatch)) return;
  const graph::TensorType whole = flat({program::none, 0, bucket(place->bucket).bytes()}).type;
  instances_.open_gradients(place->bucket, microbatch,
                            instances_.staging("gradients of bucket " + std::to_string(place->bucket), whole).view);
}

void Synchronizer::made(ValueId value, int microbatch) {
  const auto found = bucket_of_.find(value);
  if (found == bucket_of_.end()) return;
  const std::size_t index = found->second;
  Progress& progress = progress_[index];
  if (++progress.made[microbatch] < bucket(index).members.size()) return;
  ++progress.complete;
  if (shards_.partition().gradients()) return reduce_microbatch(index, microbatch);
  if (!overlap_) return;
  for (std::size_t b = 0; b < layout_.buckets.size(); ++b) {
    if (bucket(b).tied()) continue;
    if (!complete(b)) break;  // in one order, whatever becomes ready first
    reduce(b);
  }
}

bool Synchronizer::complete(std::size_t index) const {
  return progress_[index].complete == static_cast<std::size_t>(position_.microbatches);
}

void Synchronizer::finish() {
  std::vector<std::size_t> order(layout_.buckets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return bucket(a).tie.parameter < bucket(b).tie.parameter; });
  for (const std::size_t b : order) reduce(b);
  for (std::size_t b = 0; b < layout_.buckets.size(); ++b) {
    if (bucket(b).bytes() == 0) continue;
    update(b);
    if (shards_.partition().states() && !shards_.partition().parameters()) gather(b);
  }
}

/// What this rank updates, or updates with, in a buffer that may be one of shards.
View Synchronizer::own(program::BufferId buffer, bool sharded, std::size_t index) const {
  if (sharded) return shards_.in_shard(buffer, index);
  if (shards_.partition().states()) return shards_.in_whole(buffer, index);
  return {buffer, bucket(index).begin, bucket(index).bytes()};
}

View Synchronizer::own_gradient(std::size_t index) const {
  return own(storage_.gradient_buffer(), shards_.partition().gradients(), index);
}

void Synchronizer::append(const std::string& what, std::size_t index, program::Action action, program::Phase phase,
                          int microbatch) {
  writer_.append(what + " bucket " + std::to_string(index), std::move(action), phase, position_.pipeline, microbatch);
}

void Synchronizer::all_reduce(std::size_t index, std::vector<std::string> axes, bool over_holders, const View& view,
                              int microbatch) {
  program::CollectiveCall call;
  call.group = {0, std::move(axes), {}};
  if (over_holders) {
    call.group.only.resize(call.group.axes.size());
    call.group.axes.push_back("pipeline");
    call.group.only.push_back(bucket(index).tie.holders);
  }
  if (call.group.axes.empty()) return;
  call.input = call.output = flat(view);
  append("reduce", index, std::move(call), program::Phase::communication, microbatch);
}

/// The sum over the partition's axis, to every rank its part; then of the parts over other axes.
void Synchronizer::scatter(std::size_t index, const View& whole, const View& part, int microbatch) {
  program::CollectiveCall call;
  call.kind = graph::Collective::reduce_scatter;
  call.group = {0, {shards_.partition().axis}, {}};
  call.counts = shards_.counts(index);
  call.input = flat(whole);
  call.output = flat(part);
  append("scatter", index, std::move(call), program::Phase::communication, microbatch);
  std::vector<std::string> others = bucket(index).partial_axes;
  std::erase(others, shards_.partition().axis);
  all_reduce(index, std::move(others), false, part, microbatch);
}

/// Of sharded gradients: the first micro-batch's sums are written, the others are added.
void Synchronizer::reduce_microbatch(std::size_t index, int microbatch) {
  const View whole = instances_.at(storage_.gradient(bucket(index).members.back()), microbatch).view;
  const View bucket_view{whole.buffer, 0, bucket(index).bytes()};
  const Operand own = flat(own_gradient(index));
  if (progress_[index].reduced++ == 0) return scatter(index, bucket_view, own.view, microbatch);
  const Operand part = instances_.staging("part of bucket " + std::to_string(index), own.type);
  scatter(index, bucket_view, part.view, microbatch);
  if (own.view.bytes == 0) return;
  program::Compute add;
  add.op = std::make_shared<graph::Add>();
  add.inputs = {own, part};
  add.outputs = {own};
  append("add", index, std::move(add), program::Phase::communication, microbatch);
}

/// What is left to do for a bucket when all its micro-batches are there.
void Synchronizer::reduce(std::size_t index) {
  if (progress_[index].settled || bucket(index).bytes() == 0) return;
  progress_[index].settled = true;
  const Partition& partition = shards_.partition();
  const int last = position_.microbatches - 1;
  if (!partition.states())
    return all_reduce(index, bucket(index).partial_axes, bucket(index).tied(), own_gradient(index), last);
  if (!partition.gradients())
    scatter(index, {storage_.gradient_buffer(), bucket(index).begin, bucket(index).bytes()}, own_gradient(index), last);
  if (bucket(index).tied()) all_reduce(index, {}, true, own_gradient(index), last);
}

void Synchronizer::update(std::size_t index) {
  const Partition& partition = shards_.partition();
  const Operand parameters = flat(own(storage_.parameter_buffer(), partition.parameters(), index));
  if (parameters.view.bytes == 0) return;
  program::Compute compute;
  compute.op = optimizer_.update;
  compute.inputs = {parameters, flat(own_gradient(index))};
  compute.outputs = {parameters};
  for (const program::BufferId state : storage_.state_buffers()) {
    compute.inputs.push_back(flat(own(state, partition.states(), index)));
    compute.outputs.push_back(compute.inputs.back());
  }
  append("update", index, std::move(compute), program::Phase::optimizer, position_.microbatches - 1);
}

void Synchronizer::gather(std::size_t index) {
  program::CollectiveCall call;
  call.kind = graph::Collective::all_gather;
  call.group = {0, {shards_.partition().axis}, {}};
  call.counts = shards_.counts(index);
  call.input = flat(shards_.in_whole(storage_.parameter_buffer(), index));
  call.output = flat({storage_.parameter_buffer(), bucket(index).begin, bucket(index).bytes()});
  append("gather", index, std::move(call), program::Phase::communication, position_.microbatches - 1);
}

}  // namespace ddlbench::strategies
