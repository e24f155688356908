#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "kernels/device.h"
#include "program/plan.h"

namespace ddlbench::runtime {

/// One allocation of a device.
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

/// Where rings stand: those of inputs change with each step of a mode, the others with each step of training.
struct RingPosition {
  std::int64_t trained = 0;  ///< steps of training so far
  std::int64_t turn = 0;     ///< of the mode's steps; see Engine
};

/// The planned memory of one role: an allocation per version of each persistent buffer, and one arena
/// that training and evaluation share.
class Storage {
 public:
  Storage(const program::Role& role, kernels::Device& device);

  /// Where a view of `program` (one of the role's two) lies at `position` of the rings: version
  /// (position − age) modulo versions. nullptr for an empty view. Throws ContractError outside its buffer.
  std::byte* at(const program::Program& program, const program::View& view, const RingPosition& position) const;

  /// Every version of a persistent buffer, zeroed.
  void zero();

  /// As the device counts: persistent buffers by class, and the arena.
  const std::map<program::MemoryClass, std::int64_t>& handed_out_bytes() const { return handed_out_; }
  std::int64_t arena_bytes() const { return arena_bytes_; }
  /// After how many steps of training views are where they were, inputs aside: the least common multiple of versions.
  std::int64_t period() const { return period_; }

 private:
  struct Ring {
    std::int64_t bytes = 0;
    std::vector<DeviceMemory> versions;
  };
  kernels::Device& device_;
  std::vector<Ring> rings_;  ///< by buffer; the persistent ones come first
  std::int64_t arena_bytes_;
  DeviceMemory arena_;
  std::map<program::MemoryClass, std::int64_t> handed_out_;
  std::int64_t period_ = 1;
};

}  // namespace ddlbench::runtime
