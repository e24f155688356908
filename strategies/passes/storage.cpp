#include "strategies/passes/storage.h"

#include <algorithm>

#include "graph/error.h"

namespace ddlbench::strategies {

using graph::Role;
using program::MemoryClass;

namespace {

bool used_on(const ShardedGraph& sharded, const StageMap& stages, ValueId id, int rank) {
  const std::vector<int>& consumers = sharded.values[static_cast<std::size_t>(id)].consumers;
  return std::any_of(consumers.begin(), consumers.end(), [&](int step) { return stages.rank_of(step) == rank; });
}

ValueId source_of(const ShardedGraph& sharded, graph::TensorId tensor) {
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id)
    if (sharded.values[static_cast<std::size_t>(id)].tensor == tensor && sharded.is_source(id, Role::parameter))
      return id;
  throw ContractError("a parameter of the layout that the graph lacks");
}

program::BufferId add_buffer(program::Program& program, std::string name, MemoryClass memory_class,
                             std::int64_t bytes) {
  program.buffers.push_back({std::move(name), memory_class, bytes, true, 1, program::none});
  return static_cast<program::BufferId>(program.buffers.size()) - 1;
}

}  // namespace

Storage::Storage(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position,
                 const FlatLayout& layout, const Shards& shards, const graph::Optimizer* optimizer,
                 program::Program& program)
    : layout_(layout), shards_(shards) {
  program.shard_axis = shards.axis();
  add_parameters(sharded, program);
  add_inputs(sharded, stages, position, program);
  add_metrics(sharded, stages, position, program);
  if (optimizer != nullptr) add_training_state(sharded, *optimizer, program);
}

program::BufferId Storage::add_flat(const ShardedGraph& sharded, program::Program& program, const std::string& name,
                                    MemoryClass memory_class, bool sharded_buffer, const std::string& suffix) {
  const program::BufferId buffer =
      add_buffer(program, name, memory_class, sharded_buffer ? shards_.bytes() : layout_.bytes);
  if (sharded_buffer) sharded_buffers_[buffer] = shards_.segments_in_shard();
  for (const FlatParameter& parameter : layout_.parameters) {
    const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(parameter.tensor)];
    const bool drawn = memory_class == MemoryClass::parameters;
    state_.push_back({spec.name + suffix,
                      memory_class,
                      spec.type,
                      drawn ? spec.initializer : graph::Initializer{},
                      parameter.box,
                      {buffer, parameter.range.begin, parameter.range.end - parameter.range.begin}});
  }
  return buffer;
}

void Storage::settle(ValueId value, std::size_t parameter, program::BufferId buffer, bool sharded_buffer) {
  const GradientRange& range = layout_.parameters[parameter].range;
  if (!sharded_buffer) {
    views_[value] = {buffer, range.begin, range.end - range.begin};
    return;
  }
  const std::size_t bucket = layout_.bucket_of(parameter);
  places_[value] = {bucket, range.begin - layout_.buckets[bucket].begin, range.end - range.begin};
}

void Storage::add_parameters(const ShardedGraph& sharded, program::Program& program) {
  const bool shards = shards_.partition().parameters();
  parameter_buffer_ = add_flat(sharded, program, "parameters", MemoryClass::parameters, shards, "");
  for (std::size_t i = 0; i < layout_.parameters.size(); ++i)
    settle(source_of(sharded, layout_.parameters[i].tensor), i, parameter_buffer_, shards);
}

void Storage::add_inputs(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position,
                         program::Program& program) {
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const bool input = sharded.is_source(id, Role::input);
    if (!input && !sharded.is_source(id, Role::label)) continue;
    if (!used_on(sharded, stages, id, position.pipeline)) continue;
    const graph::TensorSpec& spec =
        sharded.graph.tensors[static_cast<std::size_t>(sharded.values[static_cast<std::size_t>(id)].tensor)];
    graph::TensorType type = sharded.local_type(id, position.on(sharded.rules));
    const auto stride = static_cast<std::int64_t>(graph::bytes(type));
    type.shape[0] *= position.microbatches;
    const auto bytes = static_cast<std::int64_t>(graph::bytes(type));
    const program::BufferId buffer = add_buffer(program, spec.name, MemoryClass::inputs, bytes);
    views_[id] = {buffer, 0, stride, 0};
    microbatch_strides_[id] = stride;
    program::InputSlot slot{spec.name, spec.role, {{buffer, 0, bytes, 0}, type}, {}};
    for (const AxisRule& rule : sharded.rules)
      if (rule.shards_batch) slot.axes.push_back(rule.axis);
    program.inputs.push_back(std::move(slot));
  }
}

void Storage::add_metrics(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position,
                          program::Program& program) {
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const Value& value = sharded.values[static_cast<std::size_t>(id)];
    const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(value.tensor)];
    if (spec.role != Role::metric || value.producer == graph::absent ||
        stages.rank_of(value.producer) != position.pipeline)
      continue;
    const auto bytes = static_cast<std::int64_t>(graph::bytes(spec.type));
    const program::BufferId buffer = add_buffer(program, spec.name, MemoryClass::metrics, bytes);
    views_[id] = {buffer, 0, bytes, 0};
    accumulated_[id] = true;
    const std::vector<std::string> partial = sharded.partial_axes(id);
    program::MetricSlot slot{spec.name, views_[id], {}};
    for (const AxisRule& rule : sharded.rules)
      if (std::find(partial.begin(), partial.end(), rule.axis) == partial.end())
        slot.replicated_axes.push_back(rule.axis);
    program.metrics.push_back(std::move(slot));
  }
}

void Storage::add_training_state(const ShardedGraph& sharded, const graph::Optimizer& optimizer,
                                 program::Program& program) {
  const Partition& partition = shards_.partition();
  gradient_buffer_ = add_flat(sharded, program, "gradients", MemoryClass::gradients, partition.gradients(), "");
  if (partition.states() && !partition.gradients()) sharded_buffers_[gradient_buffer_] = shards_.segments_in_whole();
  for (const std::string& state : optimizer.states)
    state_buffers_.push_back(
        add_flat(sharded, program, state, MemoryClass::optimizer_state, partition.states(), "." + state));
  for (std::size_t i = 0; i < layout_.parameters.size(); ++i) {
    const ValueId gradient = sharded.gradient_of[static_cast<std::size_t>(layout_.parameters[i].tensor)];
    settle(gradient, i, gradient_buffer_, partition.gradients());
    if (!partition.gradients()) accumulated_[gradient] = true;
    gradients_.push_back(gradient);
  }
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
