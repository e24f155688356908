#include "strategies/passes/instances.h"

#include <fmt/core.h>

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
                     program::Program& program, const Carried* carried, CarriedProbe* probe)
    : sharded_(sharded),
      coordinates_(position.on(sharded.rules)),
      storage_(storage),
      program_(program),
      carried_(carried),
      probe_(probe) {
  if (carried == nullptr) return;
  for (const auto& [key, ring] : carried->values) {
    const Value& value = sharded_.values[static_cast<std::size_t>(key.first)];
    const std::string& name = sharded_.graph.tensors[static_cast<std::size_t>(value.tensor)].name;
    rings_[key] = add_buffer(program, fmt::format("{} of micro-batch {}", name, key.second), MemoryClass::activations,
                             local_type(key.first), true)
                      .buffer;
    program.buffers.back().versions = ring.versions;
  }
}

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

void Instances::estimate(std::int64_t elements, const EstimatedWeights& weights, std::set<std::size_t> buckets) {
  const graph::DType dtype = storage_.parameters().dtype;
  const View whole = add_buffer(program_, "estimated parameters", MemoryClass::parameters, {{elements}, dtype}, false);
  estimate_ = {{whole.buffer, dtype}, weights, std::move(buckets)};
}

bool Instances::is_input(ValueId value) const {
  return sharded_.is_source(value, graph::Role::input) || sharded_.is_source(value, graph::Role::label) ||
         sharded_.is_source(value, graph::Role::sample);
}

View Instances::in_ring(const InstanceKey& key, int age) const {
  const auto ring = rings_.find(key);
  if (ring == rings_.end()) return {};
  const CarriedValue& carried = carried_->values.at(key);
  const auto bytes = static_cast<std::int64_t>(graph::bytes(local_type(key.first)));
  return {ring->second, 0, bytes, carried.versions == 1 ? 0 : age - carried.age_at_write - 1};
}

std::vector<std::pair<Operand, Operand>> Instances::copies() const {
  std::vector<std::pair<Operand, Operand>> copies;
  for (const auto& [key, ring] : rings_)
    if (is_input(key.first)) {
      const graph::TensorType type = local_type(key.first);
      copies.push_back({{settled(key.first, key.second), type}, {in_ring(key, 0), type}});
    }
  return copies;
}

Operand Instances::at(ValueId value, int microbatch) const {
  View view = age_ > 0 && is_input(value) ? View{} : settled(value, microbatch);
  if (view.buffer == storage_.parameters().id) {
    if (estimate_.weights.updates > 0 && (age_ > 0) == estimate_.weights.of_backward)
      view.buffer = estimate_.parameters.id;
    else
      view.age = storage_.weight_age(age_);
  }
  if (view.buffer != program::none) return {view, local_type(value)};
  const auto found = views_.find({value, microbatch, age_});
  if (found != views_.end()) return {found->second, local_type(value)};
  require(age_ > 0, "a value is used on a rank that does not hold it");
  if (probe_ != nullptr) {
    probe_->reads(value, microbatch, age_);
    return {{}, local_type(value)};
  }
  const View ring = in_ring({carried_->root_of(value), microbatch}, age_);
  require(ring.buffer != program::none, "a value of another step is used on a rank that does not keep it");
  return {ring, local_type(value)};
}

Operand Instances::make(ValueId value, int microbatch) {
  const View view = settled(value, microbatch);
  if (view.buffer != program::none) return {view, local_type(value)};
  if (probe_ != nullptr) probe_->writes(value, microbatch, age_);
  if (const View ring = in_ring({value, microbatch}, age_); ring.buffer != program::none)
    return {views_[{value, microbatch, age_}] = ring, local_type(value)};
  const Value& made = sharded_.values[static_cast<std::size_t>(value)];
  const std::string& name = sharded_.graph.tensors[static_cast<std::size_t>(made.tensor)].name;
  const graph::TensorType type = local_type(value);
  return {views_[{value, microbatch, age_}] = add_buffer(program_, name, MemoryClass::activations, type), type};
}

Operand Instances::alias(ValueId value, ValueId source, int microbatch) {
  if (probe_ != nullptr) probe_->aliases(value, source);
  const View view = at(source, microbatch).view;
  require(settled(value, microbatch).buffer == program::none, "a settled value cannot be another's view");
  views_[{value, microbatch, age_}] = view;
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
