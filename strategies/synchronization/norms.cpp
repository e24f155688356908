#include "strategies/synchronization/norms.h"

#include <fmt/core.h>
#include <algorithm>

#include "strategies/spec.h"

namespace ddlbench::strategies {

using program::Operand;

namespace {

/// Returns whether this rank counts the elements of a bucket in the global norm. Of the ranks that hold the same
/// elements only one does: the first holder of a tied parameter, and coordinate 0 of an axis over which the parameters
/// are not split. (Over the axes that split the batch the elements are the same on all ranks, or disjoint shards.)
bool counts_in_norm(const BucketContext& in, const Bucket& bucket) {
  if (bucket.tied() && bucket.tie.holders.front() != in.position.pipeline) return false;
  const std::vector<std::string>& split = in.layout.parameters[bucket.members.front()].sharded_axes;
  for (std::size_t axis = 0; axis < in.position.mesh.axes().size(); ++axis) {
    const std::string& name = in.position.mesh.axes()[axis].name;
    if (name == "pipeline" || splits_batch(name)) continue;
    const bool is_split = std::find(split.begin(), split.end(), name) != split.end();
    if (!is_split && in.position.coordinates[axis] != 0) return false;
  }
  return true;
}

}  // namespace

graph::UpdateSite update_site(const BucketContext& in, std::size_t index) {
  graph::UpdateSite site;
  if (in.storage.masters() != nullptr) site.working = in.storage.parameters().dtype;
  if (!in.optimizer.needs_segments()) return site;
  std::vector<std::size_t> members = in.layout.buckets[index].members;
  std::sort(members.begin(), members.end());
  const graph::Extent own = in.shards.own_elements(index);
  for (const std::size_t member : members) {
    const FlatParameter& parameter = in.layout.parameters[member];
    const std::int64_t begin = std::max(own.begin, parameter.range.begin), end = std::min(own.end, parameter.range.end);
    const bool exempt = parameter.exempt && in.optimizer.exempts_vectors;
    if (begin < end) site.segments.push_back({begin - own.begin, end - own.begin, site.tensors, exempt});
    ++site.tensors;
  }
  return site;
}

void append_global_norm(const BucketContext& in, const std::vector<Operand>& gradients) {
  const Operand& norm = in.storage.squared_norm();
  const int last = in.position.microbatches - 1;
  bool begun = false;
  const auto add = [&](const std::string& what, const Operand& gradient) {
    program::Compute compute{{std::make_shared<graph::SquaredNorm>(), begun}, {gradient}, {norm}};
    begun = true;
    in.writer.append(what, std::move(compute), program::Phase::optimizer, in.position.pipeline, last);
  };
  for (std::size_t b = 0; b < gradients.size(); ++b) {
    const Bucket& bucket = in.layout.buckets[b];
    if (bucket.elements() > 0 && counts_in_norm(in, bucket)) add(fmt::format("norm of bucket {}", b), gradients[b]);
  }
  const FlatBuffer& all = in.storage.gradients();
  if (!begun) add("norm of nothing", flat(all.id, all.dtype, {0, 0}));
  const Partition& partition = in.shards.partition();
  program::CollectiveCall call;
  for (const program::Axis& axis : in.position.mesh.axes())
    if (!splits_batch(axis.name) || (partition.states() && axis.name == partition.axis))
      call.group.axes.push_back(axis.name);
  if (call.group.axes.empty()) return;
  call.input = call.output = norm;
  in.writer.append("reduce norm", std::move(call), program::Phase::communication, in.position.pipeline, last);
}

Operand append_tensor_norms(BucketSite& site) {
  const BucketContext& in = site.in;
  graph::UpdateSite update = update_site(in, site.index);
  Operand norms =
      in.instances.staging(fmt::format("norms of bucket {}", site.index), {{update.tensors, 2}, graph::DType::f32});
  program::Compute compute;
  compute.inputs = {site.own_parameters(), site.gradient};
  if (in.optimizer.measures_states) {
    for (const FlatBuffer& state : in.storage.states()) compute.inputs.push_back(in.shards.own(state, site.index));
    compute.outputs.assign(compute.inputs.begin() + 2, compute.inputs.end());
    if (in.optimizer.guard.any()) compute.inputs.push_back(in.storage.squared_norm());
  }
  compute.outputs.push_back(norms);
  compute.op = in.optimizer.measure(std::move(update));
  site.append("measure", std::move(compute), program::Phase::optimizer);
  std::vector<std::string> axes = in.layout.parameters[site.bucket().members.front()].sharded_axes;
  if (in.shards.partition().states()) axes.push_back(in.shards.partition().axis);
  if (axes.empty()) return norms;
  program::CollectiveCall call;
  call.input = call.output = norms;
  site.communicate("reduce", std::move(call), std::move(axes));
  return norms;
}

void append_loss_scale_update(const BucketContext& in) {
  program::Compute compute{{std::make_shared<graph::LossScaleUpdate>(in.optimizer.scaling.growth_interval)},
                           {in.storage.squared_norm(), in.storage.scaler()},
                           {in.storage.scaler()}};
  in.writer.append("scale of the loss", std::move(compute), program::Phase::optimizer, in.position.pipeline,
                   in.position.microbatches - 1);
}

}  // namespace ddlbench::strategies
