#include "bench/case/feed.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "platform/bound_cores.h"
#include "program/samples.h"
#include "runtime/recorder.h"

namespace ddlbench::bench {

using runtime::now;

std::vector<workloads::Slice> slices_of(const program::Plan& plan, int rank, const program::InputSlot& slot) {
  std::vector<workloads::Slice> slices;
  std::int64_t samples = 0;
  for (int j = 0; j < plan.microbatches; ++j) {
    const graph::Extent part = program::samples_of(plan, rank, slot, j);
    slices.push_back({part.begin, part.end});
    samples += part.size();
  }
  require(samples == slot.operand.type.shape.at(0),
          "input '{}' of rank {} holds {} samples, but its part of the batch has {}", slot.tensor, rank,
          slot.operand.type.shape.at(0), samples);
  return slices;
}

workloads::Contents contents_of(const program::InputSlot& slot) {
  using workloads::Contents;
  if (slot.role == graph::Role::label) return Contents::labels;
  if (slot.role == graph::Role::sample) return Contents::numbers;
  return slot.operand.type.dtype == graph::DType::u8 ? Contents::all_in_bytes : Contents::all;
}

std::unique_ptr<workloads::Loader> make_loader(std::shared_ptr<const workloads::Dataset> dataset,
                                               std::int64_t global_batch, std::vector<workloads::Slice> slices,
                                               const workloads::LoaderOptions& options, workloads::Contents contents) {
  std::function<void(int)> on_start;
  if (const std::vector<int>& cores = platform::team_cores(); !cores.empty()) {
    on_start = [cores](int worker) { platform::bind_to_core(cores[static_cast<std::size_t>(worker) % cores.size()]); };
  }
  return std::make_unique<workloads::Loader>(std::move(dataset), global_batch, std::move(slices), options, contents,
                                             on_start);
}

Feed::Feed(std::shared_ptr<const workloads::Dataset> dataset, const program::Plan& plan, int rank, runtime::Mode mode,
           const workloads::LoaderOptions& loader)
    : dataset_(std::move(dataset)), mode_(mode), options_(loader), global_batch_(plan.global_batch) {
  for (const std::int64_t size : dataset_->shape().label) labels_per_sample_ *= size;
  const program::Role& role = plan.role(rank);
  const auto& slots = mode == runtime::Mode::train ? role.train.inputs : role.evaluate.inputs;
  // The slots that need the most data come first: the others share their loaders.
  values_ = source_for(slots, graph::Role::input, plan, rank);
  labels_ = source_for(slots, graph::Role::label, plan, rank);
  samples_ = source_for(slots, graph::Role::sample, plan, rank);
}

int Feed::source_for(const std::vector<program::InputSlot>& slots, graph::Role role, const program::Plan& plan,
                     int rank) {
  const auto slot =
      std::find_if(slots.begin(), slots.end(), [&](const program::InputSlot& s) { return s.role == role; });
  if (slot == slots.end()) return none;
  std::vector<workloads::Slice> slices = slices_of(plan, rank, *slot);
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i].slices == slices) return static_cast<int>(i);
  auto loader = make_loader(dataset_, global_batch_, slices, options_, contents_of(*slot));
  sources_.push_back({std::move(slices), std::move(loader)});
  return static_cast<int>(sources_.size()) - 1;
}

const workloads::Batch* Feed::batch_of(int source) const {
  return source == none ? nullptr : sources_[static_cast<std::size_t>(source)].batch;
}

void Feed::begin(std::vector<workloads::SampleDraw> order) {
  total_ = static_cast<std::int64_t>(order.size());
  position_ = 0;
  for (const Source& source : sources_) source.loader->begin(order);
}

std::int64_t Feed::loader_bytes() const {
  return std::accumulate(sources_.begin(), sources_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Source& source) { return sum + source.loader->bytes(); });
}

void Feed::release() {
  fed_ = {};
  for (Source& source : sources_) {
    source.batch = nullptr;
    source.loader->release();
  }
}

std::int64_t Feed::next(runtime::Engine& engine) {
  if (position_ >= total_) {
    release();
    return 0;
  }
  const std::int64_t begin = now();
  for (Source& source : sources_) source.batch = source.loader->next();
  const workloads::Batch *values = batch_of(values_), *labels = batch_of(labels_), *numbers = batch_of(samples_);
  fed_ = {values == nullptr ? nullptr : values->values.data(), labels == nullptr ? nullptr : labels->labels.data()};
  engine.load(mode_, fed_.values, fed_.labels, numbers == nullptr ? nullptr : numbers->samples.data());
  engine.note_input(begin, now());
  const std::int64_t samples = std::min(global_batch_, total_ - position_);
  position_ += global_batch_;
  return samples * labels_per_sample_;
}

}  // namespace ddlbench::bench
