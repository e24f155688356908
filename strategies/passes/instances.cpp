#include "strategies/passes/instances.h"

#include "base/error.h"

namespace ddlbench::strategies {

using program::MemoryClass;
using program::Operand;
using program::View;

namespace {

View add_buffer(program::Program& program, std::string name, MemoryClass memory_class, const graph::TensorType& type,
                bool persistent = false) {
  const auto bytes = static_cast<std::int64_t>(graph::bytes(type));
  program.buffers.push_back({std::move(name), memory_class, bytes, persistent, 1, program::none});
  return {static_cast<program::BufferId>(program.buffers.size()) - 1, 0, bytes, 0};
}

}  // namespace

Instances::Instances(const ShardedGraph& sharded, const RolePosition& position, const Storage& storage,
                     program::Program& program)
    : sharded_(sharded), coordinates_(position.on(sharded.rules)), storage_(storage), program_(program) {}

graph::TensorType Instances::local_type(ValueId value) const {
  return sharded_.local_type(value, coordinates_);
}

View Instances::settled(ValueId value, int microbatch) const {
  const BucketPlace* place = storage_.place_of(value);
  if (place == nullptr) return storage_.view_of(value, microbatch);
  const bool parameter = sharded_.is_source(value, graph::Role::parameter);
  const auto gathered = parameters_.find(place->bucket);
  const auto open = gradients_.find({place->bucket, microbatch});
  require(parameter ? gathered != parameters_.end() : open != gradients_.end(),
          "a sharded value is used while its bucket is not gathered");
  const View& whole = parameter ? gathered->second : open->second;
  const FlatBuffer& buffer = parameter ? storage_.parameters() : storage_.gradients();
  View view = flat(whole.buffer, buffer.dtype, place->elements).view;
  view.offset += whole.offset;
  return view;
}

Operand Instances::at(ValueId value, int microbatch) const {
  const View view = settled(value, microbatch);
  if (view.buffer != program::none) return {view, local_type(value)};
  const auto found = views_.find({value, microbatch});
  require(found != views_.end(), "a value is used on a rank that does not hold it");
  return {found->second, local_type(value)};
}

Operand Instances::make(ValueId value, int microbatch) {
  const View view = settled(value, microbatch);
  if (view.buffer != program::none) return {view, local_type(value)};
  const Value& made = sharded_.values[static_cast<std::size_t>(value)];
  const std::string& name = sharded_.graph.tensors[static_cast<std::size_t>(made.tensor)].name;
  const graph::TensorType type = local_type(value);
  return {views_[{value, microbatch}] = add_buffer(program_, name, MemoryClass::activations, type), type};
}

Operand Instances::alias(ValueId value, ValueId source, int microbatch) {
  const View view = at(source, microbatch).view;
  require(settled(value, microbatch).buffer == program::none, "a settled value cannot be another's view");
  views_[{value, microbatch}] = view;
  return {view, local_type(value)};
}

Operand Instances::staging(const std::string& name, const graph::TensorType& type) {
  return {add_buffer(program_, name, MemoryClass::communication, type), type};
}

Operand Instances::lasting(const std::string& name, const graph::TensorType& type) {
  return {add_buffer(program_, name, MemoryClass::communication, type, true), type};
}

void Instances::open_gradients(std::size_t bucket, int microbatch, const View& whole) {
  gradients_[{bucket, microbatch}] = whole;
}

}  // namespace ddlbench::strategies
