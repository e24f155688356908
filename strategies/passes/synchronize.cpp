#include "strategies/passes/synchronize.h"

#include <fmt/core.h>
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
  const graph::TensorType whole{{bucket(place->bucket).elements()}, storage_.gradients().dtype};
  instances_.open_gradients(place->bucket, microbatch,
                            instances_.staging(fmt::format("gradients of bucket {}", place->bucket), whole).view);
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
    if (!complete(b)) break;  // in the same order on all ranks, whichever is ready first
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
  if (optimizer_.guard.any()) compute_global_norm();
  for (std::size_t b = 0; b < layout_.buckets.size(); ++b)
    if (optimizer_.measure && bucket(b).elements() > 0) measure(b);
  for (std::size_t b = 0; b < layout_.buckets.size(); ++b) {
    if (bucket(b).elements() == 0) continue;
    update(b);
    if (shards_.partition().states() && !shards_.partition().parameters()) gather(b);
  }
  if (optimizer_.guard.skip_overflow) update_loss_scale();
}

Operand Synchronizer::own_gradient(std::size_t index) const {
  if (!shards_.partition().keeps_gradients) return storage_.transient_gradients(index);
  return shards_.own(storage_.gradients(), index);
}

Operand Synchronizer::own_parameters(std::size_t index) const {
  return shards_.own(storage_.masters() != nullptr ? *storage_.masters() : storage_.parameters(), index);
}

void Synchronizer::append(const std::string& what, std::size_t index, program::Action action, program::Phase phase,
                          int microbatch) {
  writer_.append(fmt::format("{} bucket {}", what, index), std::move(action), phase, position_.pipeline, microbatch);
}

void Synchronizer::all_reduce(std::size_t index, std::vector<std::string> axes, bool over_holders,
                              const Operand& operand, int microbatch) {
  program::CollectiveCall call;
  call.group = {0, std::move(axes), {}};
  if (over_holders) {
    call.group.only.resize(call.group.axes.size());
    call.group.axes.push_back("pipeline");
    call.group.only.push_back(bucket(index).tie.holders);
  }
  if (call.group.axes.empty()) return;
  call.input = call.output = operand;
  append("reduce", index, std::move(call), program::Phase::communication, microbatch);
}

/// Reduce-scatters `whole` over the partition's axis into `part`, then all-reduces `part` over the other axes.
void Synchronizer::scatter(std::size_t index, const Operand& whole, const Operand& part, int microbatch) {
  program::CollectiveCall call;
  call.kind = graph::Collective::reduce_scatter;
  call.group = {0, {shards_.partition().axis}, {}};
  call.counts = shards_.counts(index);
  call.input = whole;
  call.output = part;
  append("scatter", index, std::move(call), program::Phase::communication, microbatch);
  std::vector<std::string> others = bucket(index).partial_axes;
  std::erase(others, shards_.partition().axis);
  all_reduce(index, std::move(others), false, part, microbatch);
}

/// Reduces the sharded gradients of one micro-batch: the sums of the first are written, those of the others added.
void Synchronizer::reduce_microbatch(std::size_t index, int microbatch) {
  const View made = instances_.at(storage_.gradient(bucket(index).members.back()), microbatch).view;
  const Operand whole = flat(made.buffer, storage_.gradients().dtype, {0, bucket(index).elements()});
  const Operand own = own_gradient(index);
  if (progress_[index].reduced++ == 0) return scatter(index, whole, own, microbatch);
  const Operand part = instances_.staging(fmt::format("part of bucket {}", index), own.type);
  scatter(index, whole, part, microbatch);
  if (own.view.bytes == 0) return;
  append("add", index, program::Compute{{std::make_shared<graph::Add>()}, {own, part}, {own}},
         program::Phase::communication, microbatch);
}

/// Does the remaining reductions of a bucket whose micro-batches are all complete.
void Synchronizer::reduce(std::size_t index) {
  if (progress_[index].settled || bucket(index).elements() == 0) return;
  progress_[index].settled = true;
  const Partition& partition = shards_.partition();
  const int last = position_.microbatches - 1;
  if (!partition.states())
    return all_reduce(index, bucket(index).partial_axes, bucket(index).tied(), own_gradient(index), last);
  if (!partition.gradients()) scatter(index, shards_.whole(storage_.gradients(), index), own_gradient(index), last);
  if (bucket(index).tied()) all_reduce(index, {}, true, own_gradient(index), last);
}

/// Returns whether this rank counts the elements of a bucket in the global norm. Of the ranks that hold the same
/// elements only one does: the first holder of a tied parameter, and coordinate 0 of an axis over which the parameters
/// are not split. (Over the partition's axis the elements are the same on all ranks, or disjoint shards.)
bool Synchronizer::counts_norm_of(std::size_t index) const {
  const Bucket& b = bucket(index);
  if (b.tied() && b.tie.holders.front() != position_.pipeline) return false;
  const std::vector<std::string>& split = layout_.parameters[b.members.front()].sharded_axes;
  for (std::size_t axis = 0; axis < position_.mesh.axes().size(); ++axis) {
    const std::string& name = position_.mesh.axes()[axis].name;
    if (name == "pipeline" || name == shards_.partition().axis) continue;
    const bool is_split = std::find(split.begin(), split.end(), name) != split.end();
    if (!is_split && position_.coordinates[axis] != 0) return false;
  }
  return true;
}

void Synchronizer::compute_global_norm() {
  const Operand& norm = storage_.squared_norm();
  const int last = position_.microbatches - 1;
  bool begun = false;
  const auto add = [&](const std::string& what, const Operand& gradient) {
    program::Compute compute{{std::make_shared<graph::SquaredNorm>(), begun}, {gradient}, {norm}};
    begun = true;
    writer_.append(what, std::move(compute), program::Phase::optimizer, position_.pipeline, last);
  };
  for (std::size_t b = 0; b < layout_.buckets.size(); ++b)
    if (bucket(b).elements() > 0 && counts_norm_of(b)) add(fmt::format("norm of bucket {}", b), own_gradient(b));
  if (!begun) add("norm of nothing", flat(storage_.gradients().id, storage_.gradients().dtype, {0, 0}));
  program::CollectiveCall call;
  for (const program::Axis& axis : position_.mesh.axes())
    if (axis.name != shards_.partition().axis || shards_.partition().states()) call.group.axes.push_back(axis.name);
  if (call.group.axes.empty()) return;
  call.input = call.output = norm;
  writer_.append("reduce norm", std::move(call), program::Phase::communication, position_.pipeline, last);
}

/// Updates the loss scale, after everything that reads this step's scale.
void Synchronizer::update_loss_scale() {
  program::Compute compute{{std::make_shared<graph::LossScaleUpdate>(optimizer_.scaling.growth_interval)},
                           {storage_.squared_norm(), storage_.scaler()},
                           {storage_.scaler()}};
  writer_.append("scale of the loss", std::move(compute), program::Phase::optimizer, position_.pipeline,
                 position_.microbatches - 1);
}

graph::UpdateSite Synchronizer::site_of(std::size_t index) const {
  graph::UpdateSite site;
  if (storage_.masters() != nullptr) site.working = storage_.parameters().dtype;
  if (!optimizer_.needs_segments()) return site;
  std::vector<std::size_t> members = bucket(index).members;
  std::sort(members.begin(), members.end());
  const graph::Extent own = shards_.own_elements(index);
  for (const std::size_t member : members) {
    const FlatParameter& parameter = layout_.parameters[member];
    const std::int64_t begin = std::max(own.begin, parameter.range.begin), end = std::min(own.end, parameter.range.end);
    const bool exempt = parameter.exempt && optimizer_.exempts_vectors;
    if (begin < end) site.segments.push_back({begin - own.begin, end - own.begin, site.tensors, exempt});
    ++site.tensors;
  }
  return site;
}

/// Computes the norms of the bucket's tensors, summed over all ranks that hold a part.
void Synchronizer::measure(std::size_t index) {
  graph::UpdateSite site = site_of(index);
  const Operand norms =
      instances_.staging(fmt::format("norms of bucket {}", index), {{site.tensors, 2}, graph::DType::f32});
  program::Compute compute;
  compute.inputs = {own_parameters(index), own_gradient(index)};
  if (optimizer_.measures_states) {
    for (const FlatBuffer& state : storage_.states()) compute.inputs.push_back(shards_.own(state, index));
    compute.outputs.assign(compute.inputs.begin() + 2, compute.inputs.end());
    if (optimizer_.guard.any()) compute.inputs.push_back(storage_.squared_norm());
  }
  compute.outputs.push_back(norms);
  compute.op = optimizer_.measure(std::move(site));
  append("measure", index, std::move(compute), program::Phase::optimizer, position_.microbatches - 1);
  std::vector<std::string> axes = layout_.parameters[bucket(index).members.front()].sharded_axes;
  if (shards_.partition().states()) axes.push_back(shards_.partition().axis);
  all_reduce(index, std::move(axes), false, norms, position_.microbatches - 1);
  norms_[index] = norms;
}

void Synchronizer::update(std::size_t index) {
  const Operand parameters = own_parameters(index);
  if (parameters.view.bytes == 0) return;
  program::Compute compute{{optimizer_.update(site_of(index))}, {parameters, own_gradient(index)}, {parameters}};
  for (const FlatBuffer& state : storage_.states()) {
    compute.inputs.push_back(shards_.own(state, index));
    compute.outputs.push_back(compute.inputs.back());
  }
  if (optimizer_.measure) compute.inputs.push_back(norms_.at(index));
  if (optimizer_.guard.any()) compute.inputs.push_back(storage_.squared_norm());
  if (storage_.masters() != nullptr) compute.outputs.push_back(shards_.own(storage_.parameters(), index));
  append("update", index, std::move(compute), program::Phase::optimizer, position_.microbatches - 1);
}

void Synchronizer::gather(std::size_t index) {
  program::CollectiveCall call;
  call.kind = graph::Collective::all_gather;
  call.group = {0, {shards_.partition().axis}, {}};
  call.counts = shards_.counts(index);
  call.input = shards_.own(storage_.parameters(), index);
  call.output = shards_.whole(storage_.parameters(), index);
  append("gather", index, std::move(call), program::Phase::communication, position_.microbatches - 1);
}

}  // namespace ddlbench::strategies
