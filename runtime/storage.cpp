#include "runtime/storage.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace ddlbench::runtime {

using namespace program;

DeviceMemory::DeviceMemory(kernels::Device& device, std::int64_t bytes)
    : memory_(bytes == 0 ? nullptr : static_cast<std::byte*>(device.allocate(static_cast<std::size_t>(bytes))),
              Release{&device}) {}

Storage::Storage(const Role& role, kernels::Device& device)
    : device_(device),
      arena_bytes_(-device.allocated_bytes()),
      arena_(device, std::max(role.train.arena_bytes, role.evaluate.arena_bytes)) {
  arena_bytes_ += device.allocated_bytes();
  for (const Buffer& buffer : role.train.buffers) {
    if (!buffer.persistent) break;
    require(buffer.versions > 0, "buffer '" + buffer.name + "' has no version");
    Ring& ring = rings_.emplace_back();
    ring.bytes = buffer.bytes;
    const std::int64_t before = device.allocated_bytes();
    for (int version = 0; version < buffer.versions; ++version) ring.versions.emplace_back(device, buffer.bytes);
    handed_out_[buffer.memory_class] += device.allocated_bytes() - before;
    if (buffer.memory_class != MemoryClass::inputs)
      period_ = std::lcm(period_, static_cast<std::int64_t>(buffer.versions));
  }
}

std::byte* Storage::at(const Program& program, const View& view, const RingPosition& position) const {
  if (view.buffer == none) return nullptr;
  const auto index = static_cast<std::size_t>(view.buffer);
  if (index >= program.buffers.size()) {
    throw ContractError(fmt::format("a view refers to buffer {}, which does not exist", view.buffer));
  }
  const Buffer& buffer = program.buffers[index];
  const auto reject = [&](const char* why) { throw ContractError(fmt::format("buffer '{}': {}", buffer.name, why)); };
  if (view.offset < 0 || view.bytes < 0 || view.offset + view.bytes > buffer.bytes) reject("a view exceeds it");
  if (!buffer.persistent) {
    if (buffer.offset < 0 || buffer.offset + buffer.bytes > arena_bytes_) reject("it has no offset in the arena");
    return arena_.data() + buffer.offset + view.offset;
  }
  if (index >= rings_.size() || rings_[index].bytes != buffer.bytes) reject("its role's programs disagree on it");
  const auto& versions = rings_[index].versions;
  const auto count = static_cast<std::int64_t>(versions.size());
  const std::int64_t newest = buffer.memory_class == MemoryClass::inputs ? position.turn : position.trained;
  const std::int64_t slot = (((newest - view.age) % count) + count) % count;
  return versions[static_cast<std::size_t>(slot)].data() + view.offset;
}

void Storage::zero() {
  for (const Ring& ring : rings_) {
    for (const DeviceMemory& version : ring.versions) {
      if (ring.bytes > 0) device_.fill_zero(version.data(), static_cast<std::size_t>(ring.bytes));
    }
  }
}

}  // namespace ddlbench::runtime
