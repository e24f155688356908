#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "kernels/device.h"
#include "program/plan.h"

namespace ddlbench::runtime {

/// A memory allocation of a device.
class DeviceMemory {
 public:
  DeviceMemory(kernels::Device& device, std::int64_t bytes);
  std::byte* data() const { return memory_.get(); }

 private:
  struct Release {
    kernels::Device* device;
    void operator()(std::byte* memory) const noexcept { device->release(memory); }
  };
  std::unique_ptr<std::byte, Release> memory_;
};

/// The position of the rings. Rings of inputs advance with each step of a mode, the others with each training step.
struct RingPosition {
  std::int64_t trained = 0;  ///< number of bodies of the training so far
  std::int64_t turn = 0;     ///< of the mode's steps; see Engine
};

/// The planned memory of one role: an allocation for each version of each persistent buffer, and one arena shared by
/// training and evaluation.
class Storage {
 public:
  Storage(const program::Role& role, kernels::Device& device);

  /// Returns the address of a view of `program` (one of the role's two) at ring position `position`: in version
  /// (position − age) modulo the number of versions. Returns nullptr for an empty view. Throws ContractError if the
  /// view is outside its buffer.
  std::byte* at(const program::Program& program, const program::View& view, const RingPosition& position) const;

  /// Zeroes every version of every persistent buffer.
  void zero();

  /// Allocated bytes as counted by the device: persistent buffers by class, and the arena.
  const std::map<program::MemoryClass, std::int64_t>& allocated_bytes() const { return handed_out_; }
  std::int64_t arena_bytes() const { return arena_bytes_; }
  /// Returns the number of training steps after which views, except of inputs, are at the same addresses again: the
  /// least common multiple of the numbers of versions.
  std::int64_t period() const { return period_; }

 private:
  struct Ring {
    std::int64_t bytes = 0;
    std::vector<DeviceMemory> versions;
  };
  kernels::Device& device_;
  std::vector<Ring> rings_;  ///< by buffer; persistent ones come first
  std::int64_t arena_bytes_;
  DeviceMemory arena_;
  std::map<program::MemoryClass, std::int64_t> handed_out_;
  std::int64_t period_ = 1;
};

}  // namespace ddlbench::runtime
