#include "runtime/timed_memory.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "runtime/floats.h"

namespace ddlbench::runtime {
namespace {

constexpr std::int64_t alignment = 256;

std::vector<float> small_values() {
  std::vector<float> values(std::size_t{1} << 18);
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
    value = static_cast<float>(state >> 8) * 0x1p-27F;
  }
  return values;
}

/// Fills memory by repeating `values`.
void fill(kernels::Device& device, std::byte* memory, graph::DType dtype, std::int64_t bytes,
          std::span<const float> values) {
  const auto size = static_cast<std::int64_t>(graph::size_of(dtype));
  for (std::int64_t left = bytes / size; left > 0;) {
    const std::int64_t count = std::min(left, std::ssize(values));
    write_floats(device, dtype, memory, values.first(static_cast<std::size_t>(count)));
    memory += count * size;
    left -= count;
  }
}

}  // namespace

void TouchedParts::add(const program::Compute& compute) {
  for (const auto* operands : {&compute.inputs, &compute.outputs}) {
    for (const program::Operand& operand : *operands) add(operand);
  }
}

void TouchedParts::add(const program::Operand& operand) {
  const program::View& view = operand.view;
  if (view.bytes == 0) return;
  graph::DType dtype = operand.type.dtype;
  std::int64_t begin = view.offset / alignment * alignment;
  std::int64_t end = (view.offset + view.bytes + alignment - 1) / alignment * alignment;
  const auto is_same_buffer = [&view](const auto& part) {
    return std::get<0>(part.first) == view.buffer && std::get<1>(part.first) == view.age;
  };
  auto next = parts_.upper_bound({view.buffer, view.age, begin});
  if (next != parts_.begin()) {
    const auto before = std::prev(next);
    if (is_same_buffer(*before) && before->second.end > begin) next = before;
  }
  while (next != parts_.end() && is_same_buffer(*next) && std::get<2>(next->first) < end) {
    begin = std::min(begin, std::get<2>(next->first));
    end = std::max(end, next->second.end);
    if (next->second.dtype != dtype) dtype = graph::DType::i32;  // zero is valid for every type
    bytes_ -= next->second.end - std::get<2>(next->first);
    next = parts_.erase(next);
  }
  parts_[{view.buffer, view.age, begin}] = {end, dtype};
  bytes_ += end - begin;
}

TimedMemory::TimedMemory(kernels::Device& device, const TouchedParts& parts) : memory_(device, parts.bytes()) {
  const auto values = small_values();
  std::byte* place = memory_.data();
  for (const auto& [begin, part] : parts.all()) {
    const std::int64_t bytes = part.end - std::get<2>(begin);
    if (is_float(part.dtype)) {
      fill(device, place, part.dtype, bytes, values);
    } else {
      device.fill_zero(place, static_cast<std::size_t>(bytes));
    }
    places_[begin] = place;
    place += bytes;
  }
}

void* TimedMemory::of(const program::View& view) const {
  if (view.bytes == 0) return nullptr;
  const auto& [begin, place] = *std::prev(places_.upper_bound({view.buffer, view.age, view.offset}));
  return place + (view.offset - std::get<2>(begin));
}

}  // namespace ddlbench::runtime
