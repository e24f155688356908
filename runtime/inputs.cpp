#include "runtime/inputs.h"

#include <fmt/core.h>
#include <cstring>

#include "base/error.h"
#include "kernels/labels.h"
#include "runtime/rethrow.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

std::optional<graph::Indices> indices_of(const Instruction& instruction) {
  const auto* compute = std::get_if<Compute>(&instruction.action);
  if (compute == nullptr) return std::nullopt;
  return compute->op->indices(types_of(compute->inputs));
}

bool holds(const View& slot, const View& part) {
  return slot.buffer == part.buffer && slot.age == part.age && slot.offset <= part.offset &&
         part.offset + part.bytes <= slot.offset + slot.bytes;
}

}  // namespace

Inputs::Inputs(const Program& program, int rank, kernels::Device& device, std::size_t turns)
    : device_(device), rank_(rank) {
  const bool asynchronous = device.asynchronous();
  for (const InputSlot& input : program.inputs) {
    const View& whole = input.operand.view;
    const Buffer& buffer = program.buffers.at(static_cast<std::size_t>(whole.buffer));
    if (buffer.versions % static_cast<int>(turns) != 0) by_turn_ = false;
    Slot slot{&input, {}, HostMemory(device, asynchronous ? static_cast<std::size_t>(whole.bytes) : 0)};
    for (const auto* section : sections(program)) {
      for (const Instruction& instruction : *section) {
        const std::optional<graph::Indices> indices = indices_of(instruction);
        if (!asynchronous || !indices) continue;
        const Operand& operand =
            std::get<Compute>(instruction.action).inputs.at(static_cast<std::size_t>(indices->input));
        if (!holds(whole, operand.view)) continue;
        slot.readings.push_back({&instruction, operand.view.offset - whole.offset, graph::elements(operand.type.shape),
                                 indices->limit, indices->labels});
      }
    }
    slots_.push_back(std::move(slot));
  }
  if (!asynchronous) return;
  left_ = OwnedEvent(device, kernels::EventKind::order);
  for (std::size_t turn = 0; turn < turns; ++turn) turns_.push_back({OwnedEvent(device, kernels::EventKind::time)});
}

void Inputs::require_known(const Slot& slot, const std::byte* source) const {
  for (const Reading& reading : slot.readings) {
    const auto* integers = reinterpret_cast<const std::int32_t*>(source + reading.offset);
    try {
      if (!reading.labels) kernels::require_tokens(integers, reading.count, reading.limit);
      for (std::int64_t i = 0; reading.labels && i < reading.count; ++i) {
        kernels::is_sample(integers, i, reading.limit);
      }
    } catch (...) {
      rethrow_in(fmt::format("rank {}: instruction '{}'", rank_, reading.instruction->name));
    }
  }
}

void Inputs::load(const void* values, const std::int32_t* labels, const std::int32_t* samples, const Resolve& resolve,
                  std::size_t turn) {
  if (in_flight_) device_.wait(left_.event());
  in_flight_ = false;
  for (const Slot& slot : slots_) {
    const graph::Role role = slot.slot->role;
    const void* source = role == graph::Role::label ? labels : role == graph::Role::sample ? samples : values;
    if (source == nullptr) {
      throw ContractError(fmt::format("rank {} needs input '{}', which is missing", rank_, slot.slot->tensor));
    }
    require_known(slot, static_cast<const std::byte*>(source));
    const View& view = slot.slot->operand.view;
    const auto bytes = static_cast<std::size_t>(view.bytes);
    if (slot.pinned.data() == nullptr) {
      device_.copy_in(resolve(view), source, bytes);
      continue;
    }
    std::memcpy(slot.pinned.data(), source, bytes);
    device_.copy_in(resolve(view), slot.pinned.data(), bytes, graph::Stream::input);
  }
  if (!left_ || slots_.empty()) return;
  turns_[turn].loaded.record(graph::Stream::input);  // before the event that the compute stream waits for
  left_.record(graph::Stream::input);
  in_flight_ = turns_[turn].fresh = true;
  held_ = false;
}

void Inputs::wait_for_event() {
  if (!std::exchange(held_, true)) left_.wait_for_event(graph::Stream::compute);
}

void Inputs::take(std::size_t turn) {
  if (left_) turns_[turn].used = std::exchange(turns_[turn].fresh, false);
}

const OwnedEvent* Inputs::event(std::size_t turn) const {
  return left_ && turns_[turn].used ? &turns_[turn].loaded : nullptr;
}

}  // namespace ddlbench::runtime
