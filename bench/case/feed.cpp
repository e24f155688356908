#include "bench/case/feed.h"

#include <algorithm>

#include "graph/error.h"
#include "runtime/recorder.h"

namespace ddlbench::bench {

using runtime::now;

std::vector<workloads::Slice> slices_of(const program::Plan& plan, int rank, const program::InputSlot& slot) {
  const program::Mesh& mesh = plan.meshes.at(static_cast<std::size_t>(plan.role(rank).mesh));
  const program::Coordinates coordinates = mesh.coordinates_of(rank);
  int parts = 1;
  int index = 0;
  for (const std::string& axis : slot.axes) {
    const std::optional<int> at = mesh.find(axis);
    if (!at) continue;
    const int size = mesh.axes()[static_cast<std::size_t>(*at)].size;
    parts *= size;
    index = index * size + coordinates[static_cast<std::size_t>(*at)];
  }
  std::vector<workloads::Slice> slices;
  std::int64_t samples = 0;
  for (int j = 0; j < plan.microbatches; ++j) {
    const graph::Extent microbatch = graph::part_of(plan.global_batch, plan.microbatches, j);
    const graph::Extent part = graph::part_of(microbatch.size(), parts, index);
    slices.push_back({microbatch.begin + part.begin, microbatch.begin + part.end});
    samples += part.size();
  }
  require(samples == slot.operand.type.shape.at(0), "input '" + slot.tensor + "' of rank " + std::to_string(rank) +
                                                        " holds " + std::to_string(slot.operand.type.shape.at(0)) +
                                                        " samples, but its part of the batch has " +
                                                        std::to_string(samples));
  return slices;
}

Feed::Feed(std::shared_ptr<const workloads::Dataset> dataset, const program::Plan& plan, int rank, runtime::Mode mode)
    : dataset_(std::move(dataset)), mode_(mode), global_batch_(plan.global_batch) {
  for (const std::int64_t size : dataset_->shape().label) labels_per_sample_ *= size;
  const program::Role& role = plan.role(rank);
  const auto& slots = mode == runtime::Mode::train ? role.train.inputs : role.evaluate.inputs;
  values_ = loader_for(slots, graph::Role::input, plan, rank);
  labels_ = loader_for(slots, graph::Role::label, plan, rank);
}

workloads::Loader* Feed::loader_for(const std::vector<program::InputSlot>& slots, graph::Role role,
                                    const program::Plan& plan, int rank) {
  const auto slot =
      std::find_if(slots.begin(), slots.end(), [&](const program::InputSlot& s) { return s.role == role; });
  if (slot == slots.end()) return nullptr;
  std::vector<workloads::Slice> slices = slices_of(plan, rank, *slot);
  for (const Source& source : sources_) {
    if (source.slices == slices) return source.loader.get();
  }
  auto loader = std::make_unique<workloads::Loader>(dataset_, global_batch_, slices);
  sources_.push_back({std::move(slices), std::move(loader)});
  return sources_.back().loader.get();
}

void Feed::begin(std::vector<std::int64_t> order) {
  total_ = static_cast<std::int64_t>(order.size());
  position_ = 0;
  for (const Source& source : sources_) source.loader->begin(order);
}

std::int64_t Feed::next(runtime::Engine& engine) {
  if (position_ >= total_) return 0;
  const std::int64_t begin = now();
  const workloads::Batch* values = values_ == nullptr ? nullptr : values_->next();
  const workloads::Batch* labels = labels_ == nullptr ? nullptr : labels_ == values_ ? values : labels_->next();
  engine.load(mode_, values == nullptr ? nullptr : values->values.data(),
              labels == nullptr ? nullptr : labels->labels.data());
  engine.note_input(begin, now());
  const std::int64_t samples = std::min(global_batch_, total_ - position_);
  position_ += global_batch_;
  return samples * labels_per_sample_;
}

}  // namespace ddlbench::bench
