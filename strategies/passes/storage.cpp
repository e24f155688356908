#include "strategies/passes/storage.h"

#include <fmt/core.h>
#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "graph/scalars.h"
#include "strategies/passes/factors.h"
#include "strategies/passes/without_flush.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

using graph::Role;
using program::MemoryClass;

namespace {

bool used_on(const ShardedGraph& sharded, const StageMap& stages, ValueId id, int rank) {
  const std::vector<int>& consumers = sharded.values[static_cast<std::size_t>(id)].consumers;
  return std::any_of(consumers.begin(), consumers.end(), [&](int step) { return stages.rank_of(step) == rank; });
}

}  // namespace

Storage::Storage(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position,
                 const FlatLayout& layout, const Shards& shards, const graph::Optimizer* optimizer,
                 const BucketChain* chain, bool own_weights, program::Program& program)
    : program_(program),
      layout_(layout),
      shards_(shards),
      own_weights_(own_weights),
      evaluates_(optimizer == nullptr),
      stage_(position.pipeline),
      versions_(weight_versions(stages.pipeline, position.pipeline)),
      first_weight_age_(strategies::weight_age(stages.pipeline, position.pipeline, 0)) {
  program.shard_axis = shards.axis();
  const bool reads_mean = own_weights && optimizer == nullptr;
  add_parameters(sharded, reads_mean);
  add_statistics(sharded, reads_mean);
  add_inputs(sharded, stages, position, Role::input);
  add_inputs(sharded, stages, position, Role::label);
  add_metrics(sharded, stages, position);
  if (optimizer == nullptr) return;
  add_inputs(sharded, stages, position, Role::sample);
  add_training_state(sharded, *optimizer);
  add_stage_states(sharded, chain->states);
  if (chain->approximation_rank > 0) add_factors(sharded, chain->approximation_rank);
  add_observed();
  if (optimizer->guard.any()) add_squared_norm(position);
  if (optimizer->guard.skip_overflow) add_scaler(optimizer->scaling);
  if (!shards.partition().keeps_gradients) add_transient_gradients(sharded);
}

program::BufferId Storage::add_buffer(std::string name, MemoryClass memory_class, std::int64_t bytes, bool persistent) {
  program_.buffers.push_back({std::move(name), memory_class, bytes, persistent, 1, program::none});
  return static_cast<program::BufferId>(program_.buffers.size()) - 1;
}

FlatBuffer Storage::add_flat(const ShardedGraph& sharded, const std::string& name, MemoryClass memory_class,
                             graph::DType dtype, bool is_sharded, const std::string& suffix, bool drawn) {
  const std::int64_t elements = is_sharded ? shards_.elements() : layout_.elements;
  const auto bytes = static_cast<std::int64_t>(graph::size_of(dtype));
  const FlatBuffer buffer{add_buffer(name, memory_class, elements * bytes), dtype, is_sharded};
  if (is_sharded) sharded_buffers_[buffer.id] = shards_.segments(buffer);
  for (const FlatParameter& parameter : layout_.parameters) {
    const program::Operand lies = flat(buffer.id, dtype, {parameter.range.begin, parameter.range.end});
    program::StateShard& shard = add_shard(sharded, parameter, memory_class, lies);
    const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(parameter.tensor)];
    shard.tensor += suffix;
    if (!drawn) continue;
    shard.initializer = spec.initializer;
    shard.drawn_as = spec.name;
  }
  return buffer;
}

program::StateShard& Storage::add_shard(const ShardedGraph& sharded, const FlatParameter& parameter,
                                        MemoryClass memory_class, const program::Operand& elements) {
  const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(parameter.tensor)];
  program::StateShard& shard = state_.emplace_back();
  shard.tensor = spec.name;
  if (own_weights_) shard.copies = program::Copies::own;
  shard.memory_class = memory_class;
  shard.whole = {spec.type.shape, elements.type.dtype, spec.type.channel_block};
  shard.box = parameter.box;
  shard.view = elements.view;
  return shard;
}

void Storage::assign_place(ValueId value, std::size_t parameter, const FlatBuffer& buffer) {
  const GradientRange& range = layout_.parameters[parameter].range;
  if (!buffer.sharded) {
    views_[value] = flat(buffer.id, buffer.dtype, {range.begin, range.end}).view;
    return;
  }
  const std::size_t bucket = layout_.bucket_of(parameter);
  const std::int64_t begin = layout_.buckets[bucket].begin;
  places_[value] = {bucket, {range.begin - begin, range.end - begin}};
}

void Storage::add_parameters(const ShardedGraph& sharded, bool reads_mean) {
  parameters_ = add_flat(sharded, "parameters", MemoryClass::parameters, layout_.dtype,
                         shards_.partition().parameters(), "", true);
  program_.buffers.back().versions = versions_;
  if (own_weights_) {
    const auto bytes = layout_.elements * static_cast<std::int64_t>(graph::size_of(layout_.dtype));
    mean_parameters_ = {add_buffer("mean parameters", MemoryClass::parameters, bytes), layout_.dtype};
    for (const FlatParameter& parameter : layout_.parameters) {
      const program::Operand lies =
          flat(mean_parameters_.id, layout_.dtype, {parameter.range.begin, parameter.range.end});
      program::StateShard& mean = add_shard(sharded, parameter, MemoryClass::parameters, lies);
      const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(parameter.tensor)];
      mean.initializer = spec.initializer;
      mean.copies = program::Copies::mean;
    }
  }
  for (std::size_t i = 0; i < layout_.parameters.size(); ++i)
    assign_place(sharded.source_of(layout_.parameters[i].tensor), i, reads_mean ? mean_parameters_ : parameters_);
}

void Storage::add_statistics(const ShardedGraph& sharded, bool reads_mean) {
  if (layout_.statistics.empty()) return;
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(float));
  statistics_.id = add_buffer("statistics", MemoryClass::statistics, layout_.statistic_elements * bytes);
  if (own_weights_)
    mean_statistics_.id = add_buffer("mean statistics", MemoryClass::statistics, layout_.statistic_elements * bytes);
  for (const FlatStatistic& statistic : layout_.statistics) {
    const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(statistic.tensor)];
    const auto in = [&statistic](const FlatBuffer& buffer) {
      const std::int64_t end = statistic.begin + graph::elements(statistic.type.shape);
      return flat(buffer.id, buffer.dtype, {statistic.begin, end}).view;
    };
    views_[sharded.source_of(statistic.tensor)] = in(reads_mean ? mean_statistics_ : statistics_);
    state_.push_back({spec.name, MemoryClass::statistics, spec.type, spec.initializer, statistic.box, in(statistics_),
                      spec.name, own_weights_ ? program::Copies::own : program::Copies::equal});
    if (own_weights_)
      state_.push_back({spec.name, MemoryClass::statistics, spec.type, spec.initializer, statistic.box,
                        in(mean_statistics_), spec.name, program::Copies::mean});
  }
}

void Storage::add_inputs(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position, Role role) {
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    if (!sharded.is_source(id, role)) continue;
    if (!used_on(sharded, stages, id, position.pipeline)) continue;
    const graph::TensorSpec& spec =
        sharded.graph.tensors[static_cast<std::size_t>(sharded.values[static_cast<std::size_t>(id)].tensor)];
    graph::TensorType type = sharded.local_type(id, position.on(sharded.rules));
    const auto stride = static_cast<std::int64_t>(graph::bytes(type));
    type.shape[0] *= position.microbatches;
    const auto bytes = static_cast<std::int64_t>(graph::bytes(type));
    const program::BufferId buffer = add_buffer(spec.name, MemoryClass::inputs, bytes);
    views_[id] = {buffer, 0, stride, 0};
    microbatch_strides_[id] = stride;
    program::InputSlot slot{spec.name, spec.role, {{buffer, 0, bytes, 0}, type}, {}};
    for (const AxisRule& rule : sharded.rules)
      if (rule.shards_batch) slot.axes.push_back(rule.axis);
    program_.inputs.push_back(std::move(slot));
  }
}

void Storage::add_metrics(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position) {
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const Value& value = sharded.values[static_cast<std::size_t>(id)];
    const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(value.tensor)];
    if (spec.role != Role::metric || value.producer == graph::absent ||
        stages.rank_of(value.producer) != position.pipeline)
      continue;
    const auto bytes = static_cast<std::int64_t>(graph::bytes(spec.type));
    const program::BufferId buffer = add_buffer(spec.name, MemoryClass::metrics, bytes);
    views_[id] = {buffer, 0, bytes, 0};
    accumulated_[id] = true;
    const std::vector<std::string> partial = sharded.partial_axes(id);
    program::MetricSlot slot{spec.name, views_[id], {}};
    for (const AxisRule& rule : sharded.rules)
      if (std::find(partial.begin(), partial.end(), rule.axis) == partial.end())
        slot.replicated_axes.push_back(rule.axis);
    program_.metrics.push_back(std::move(slot));
  }
}

void Storage::add_training_state(const ShardedGraph& sharded, const graph::Optimizer& optimizer) {
  const Partition& partition = shards_.partition();
  if (partition.keeps_gradients)
    gradients_ =
        add_flat(sharded, "gradients", MemoryClass::gradients, layout_.dtype, partition.gradients(), "", false);
  if (partition.states() && !partition.gradients()) sharded_buffers_[gradients_.id] = shards_.segments(gradients_);
  const auto add_state = [&](const std::string& name, bool drawn) {
    return add_flat(sharded, name, MemoryClass::optimizer_state, graph::DType::f32, partition.states(), "." + name,
                    drawn);
  };
  if (layout_.dtype != graph::DType::f32) masters_ = add_state("master", true);
  for (const std::string& state : optimizer.states) states_.push_back(add_state(state, false));
  for (std::size_t i = 0; i < layout_.parameters.size(); ++i) {
    const ValueId gradient = sharded.gradient_of[static_cast<std::size_t>(layout_.parameters[i].tensor)];
    if (partition.keeps_gradients) assign_place(gradient, i, gradients_);
    if (!partition.gradients()) accumulated_[gradient] = true;
    gradient_values_.push_back(gradient);
  }
}

void Storage::add_transient_gradients(const ShardedGraph& sharded) {
  const auto bytes = static_cast<std::int64_t>(graph::size_of(layout_.dtype));
  for (std::size_t b = 0; b < layout_.buckets.size(); ++b) {
    const Bucket& bucket = layout_.buckets[b];
    const program::BufferId buffer =
        add_buffer(fmt::format("gradients of bucket {}", b), MemoryClass::gradients, bucket.elements() * bytes, false);
    transient_gradients_.push_back(flat(buffer, layout_.dtype, {0, bucket.elements()}));
    for (const std::size_t member : bucket.members) {
      const FlatParameter& parameter = layout_.parameters[member];
      const graph::Extent within{parameter.range.begin - bucket.begin, parameter.range.end - bucket.begin};
      const program::Operand elements = flat(buffer, layout_.dtype, within);
      views_[gradient(member)] = elements.view;
      add_shard(sharded, parameter, MemoryClass::gradients, elements);
    }
  }
}

void Storage::add_stage_states(const ShardedGraph& sharded, const std::vector<StageState>& states) {
  for (const StageState& state : states) {
    const std::size_t first = state_.size();
    const std::string suffix = "." + (state.own ? state.name : program::of_all_ranks(state.name));
    stage_states_[state.name] =
        add_flat(sharded, state.name, MemoryClass::optimizer_state, graph::DType::f32, false, suffix, state.drawn);
    for (std::size_t i = first; i < state_.size(); ++i)
      state_[i].copies = state.own ? program::Copies::own : program::Copies::equal;
  }
}

void Storage::add_factors(const ShardedGraph& sharded, int approximation_rank) {
  const program::BufferId buffer = add_buffer("Q of PowerSGD", MemoryClass::optimizer_state, 0);
  std::int64_t elements = 0;
  for (std::size_t b = 0; b < layout_.buckets.size(); ++b) {
    const std::int64_t begin = elements;
    for (program::StateShard& factor : factors_of(layout_, sharded.graph, b, approximation_rank)) {
      const std::int64_t size = graph::elements(factor.whole.shape);
      factor.view = flat(buffer, graph::DType::f32, {elements, elements + size}).view;
      elements += size;
      state_.push_back(std::move(factor));
    }
    factors_.push_back(flat(buffer, graph::DType::f32, {begin, elements}));
  }
  program_.buffers[static_cast<std::size_t>(buffer)].bytes = elements * std::int64_t{sizeof(float)};
}

void Storage::add_observed() {
  if (layout_.statistics.empty()) return;
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(float));
  observed_.id = add_buffer("observed statistics", MemoryClass::communication, layout_.statistic_elements * bytes);
  for (const FlatStatistic& statistic : layout_.statistics) {
    views_[statistic.observed] =
        flat(observed_.id, observed_.dtype, {statistic.begin, statistic.begin + graph::elements(statistic.type.shape)})
            .view;
    accumulated_[statistic.observed] = true;
  }
}

/// The norm is also a metric, and every rank has the whole of it.
void Storage::add_squared_norm(const RolePosition& position) {
  const program::BufferId buffer = add_buffer("squared norm of gradients", MemoryClass::metrics, sizeof(float));
  squared_norm_ = flat(buffer, graph::DType::f32, {0, 1});
  program::MetricSlot slot{"squared_gradient_norm", squared_norm_.view, {}};
  for (const program::Axis& axis : position.mesh.axes()) slot.replicated_axes.push_back(axis.name);
  program_.metrics.push_back(std::move(slot));
}

/// Every rank has the whole scaler, and all ranks update it alike.
void Storage::add_scaler(const graph::LossScaling& scaling) {
  constexpr auto parts = static_cast<std::int64_t>(graph::loss_scaler_states.size());
  static_assert(sizeof(graph::LossScaler) == parts * sizeof(float));
  const program::BufferId buffer = add_buffer("scalars", MemoryClass::optimizer_state, sizeof(graph::Scalars));
  program_.scalars = {buffer, 0, sizeof(graph::Scalars)};
  constexpr std::int64_t first = offsetof(graph::Scalars, scaler) / sizeof(float);
  scaler_ = flat(buffer, graph::DType::f32, {first, first + parts});
  for (std::int64_t i = 0; i < parts; ++i) {
    program::StateShard& part = state_.emplace_back();
    part.tensor = part.drawn_as = graph::loss_scaler_states[static_cast<std::size_t>(i)];
    part.memory_class = MemoryClass::optimizer_state;
    part.whole.shape = {1};
    part.box = {{0, 1}};
    part.initializer.a = i == 0 ? scaling.initial : 0;
    part.view = flat(buffer, graph::DType::f32, {first + i, first + i + 1}).view;
  }
}

void Storage::append_copy_of_parameters(int to, Writer& writer) const {
  const program::Operand newest = flat(parameters_.id, parameters_.dtype, {0, layout_.elements});
  program::Operand copy = newest;
  copy.view.age = to;
  writer.append_copy("copy parameters", newest, copy, program::Phase::optimizer, stage_);
}

void Storage::append_equal_versions(Writer& writer) const {
  for (int age = 1; age <= first_weight_age_; ++age) append_copy_of_parameters(age, writer);
}

void Storage::append_kept_version(Writer& writer) const {
  if (versions_ > 1) append_copy_of_parameters(written_weight_age(), writer);
}

program::View Storage::view_of(ValueId value, int microbatch) const {
  const auto found = views_.find(value);
  if (found == views_.end()) return {};
  program::View view = found->second;
  const auto stride = microbatch_strides_.find(value);
  if (stride != microbatch_strides_.end()) view.offset += stride->second * microbatch;
  return view;
}

const BucketPlace* Storage::place_of(ValueId value) const {
  const auto found = places_.find(value);
  return found == places_.end() ? nullptr : &found->second;
}

}  // namespace ddlbench::strategies
