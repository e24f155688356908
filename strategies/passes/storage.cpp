#include "strategies/passes/storage.h"

#include <algorithm>

#include "graph/error.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

using graph::Role;
using program::MemoryClass;

namespace {

bool is_source(const ShardedGraph& sharded, ValueId id, Role role) {
  const Value& value = sharded.values[static_cast<std::size_t>(id)];
  return value.producer == graph::absent && sharded.graph.tensors[static_cast<std::size_t>(value.tensor)].role == role;
}

bool used_on(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, ValueId id, int stage) {
  const std::vector<int>& consumers = sharded.values[static_cast<std::size_t>(id)].consumers;
  return std::any_of(consumers.begin(), consumers.end(),
                     [&](int step) { return stage_of_step[static_cast<std::size_t>(step)] == stage; });
}

void require_one_stage(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, ValueId id) {
  const Value& value = sharded.values[static_cast<std::size_t>(id)];
  for (const int step : value.consumers)
    if (stage_of_step[static_cast<std::size_t>(step)] !=
        stage_of_step[static_cast<std::size_t>(value.consumers.front())])
      throw Unsupported("parameter '" + sharded.graph.tensors[static_cast<std::size_t>(value.tensor)].name +
                        "' is used on more than one pipeline stage; pipelines cannot share parameters between stages");
}

program::BufferId add_buffer(program::Program& program, std::string name, MemoryClass memory_class,
                             std::int64_t bytes) {
  program.buffers.push_back({std::move(name), memory_class, bytes, true, 1, program::none});
  return static_cast<program::BufferId>(program.buffers.size()) - 1;
}

}  // namespace

std::vector<int> RolePosition::on(const std::vector<AxisRule>& rules) const {
  std::vector<int> result;
  for (const AxisRule& rule : rules)
    result.push_back(coordinates[static_cast<std::size_t>(mesh.find(rule.axis).value())]);
  return result;
}

Storage::Storage(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, const RolePosition& position,
                 const graph::Optimizer* optimizer, program::Program& program) {
  add_parameters(sharded, stage_of_step, position, program);
  add_inputs(sharded, stage_of_step, position, program);
  add_metrics(sharded, stage_of_step, position, program);
  if (optimizer != nullptr) add_training_state(sharded, position, *optimizer, program);
}

void Storage::add_parameters(const ShardedGraph& sharded, const std::vector<int>& stage_of_step,
                             const RolePosition& position, program::Program& program) {
  const std::vector<int> coordinates = position.on(sharded.rules);
  std::int64_t offset = 0;
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    if (!is_source(sharded, id, Role::parameter)) continue;
    require_one_stage(sharded, stage_of_step, id);
    if (!used_on(sharded, stage_of_step, id, position.stage)) continue;
    const graph::TensorType type = sharded.local_type(id, coordinates);
    const auto bytes = static_cast<std::int64_t>(graph::bytes(type));
    Parameter parameter;
    parameter.tensor = sharded.values[static_cast<std::size_t>(id)].tensor;
    parameter.value = id;
    parameter.operand = {{program::none, offset, bytes, 0}, type};
    parameter.gradient = {offset, offset + bytes, {}};
    parameters_.push_back(std::move(parameter));
    offset += bytes;
  }
  parameter_buffer_ = add_buffer(program, "parameters", MemoryClass::parameters, offset);
  for (Parameter& parameter : parameters_) {
    parameter.operand.view.buffer = parameter_buffer_;
    views_[parameter.value] = parameter.operand.view;
    const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(parameter.tensor)];
    state_.push_back({spec.name, MemoryClass::parameters, spec.type, spec.initializer,
                      sharded.box(parameter.value, coordinates), parameter.operand.view});
  }
}

void Storage::add_inputs(const ShardedGraph& sharded, const std::vector<int>& stage_of_step,
                         const RolePosition& position, program::Program& program) {
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const bool input = is_source(sharded, id, Role::input);
    if (!input && !is_source(sharded, id, Role::label)) continue;
    if (!used_on(sharded, stage_of_step, id, position.stage)) continue;
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

void Storage::add_metrics(const ShardedGraph& sharded, const std::vector<int>& stage_of_step,
                          const RolePosition& position, program::Program& program) {
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const Value& value = sharded.values[static_cast<std::size_t>(id)];
    const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(value.tensor)];
    if (spec.role != Role::metric || value.producer == graph::absent ||
        stage_of_step[static_cast<std::size_t>(value.producer)] != position.stage)
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

void Storage::add_training_state(const ShardedGraph& sharded, const RolePosition& position,
                                 const graph::Optimizer& optimizer, program::Program& program) {
  const std::int64_t bytes = program.buffers[static_cast<std::size_t>(parameter_buffer_)].bytes;
  const std::vector<int> coordinates = position.on(sharded.rules);
  const auto add_state = [&](const std::string& suffix, MemoryClass memory_class, program::BufferId buffer) {
    for (const Parameter& parameter : parameters_) {
      const graph::TensorSpec& spec = sharded.graph.tensors[static_cast<std::size_t>(parameter.tensor)];
      program::View view = parameter.operand.view;
      view.buffer = buffer;
      state_.push_back(
          {spec.name + suffix, memory_class, spec.type, {}, sharded.box(parameter.value, coordinates), view});
    }
  };
  gradient_buffer_ = add_buffer(program, "gradients", MemoryClass::gradients, bytes);
  add_state("", MemoryClass::gradients, gradient_buffer_);
  for (const std::string& state : optimizer.states) {
    state_buffers_.push_back(add_buffer(program, state, MemoryClass::optimizer_state, bytes));
    add_state("." + state, MemoryClass::optimizer_state, state_buffers_.back());
  }
  for (Parameter& parameter : parameters_) {
    const ValueId gradient = sharded.gradient_of[static_cast<std::size_t>(parameter.tensor)];
    parameter.gradient.partial_axes = sharded.partial_axes(gradient);
    views_[gradient] = {gradient_buffer_, parameter.operand.view.offset, parameter.operand.view.bytes, 0};
    accumulated_[gradient] = true;
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

program::Operand Storage::flat(program::BufferId buffer, std::int64_t begin, std::int64_t end) const {
  const auto element = static_cast<std::int64_t>(graph::size_of(graph::DType::f32));
  return {{buffer, begin, end - begin, 0}, {{(end - begin) / element}, graph::DType::f32}};
}

}  // namespace ddlbench::strategies
