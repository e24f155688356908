#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "kernels/device.h"
#include "program/program.h"
#include "runtime/storage.h"

/// Memory for computations that are timed apart from their program.
namespace ddlbench::runtime {

/// The parts of buffers that computations read and write, from one multiple of 256 bytes to another: a weight, and the
/// flat storage that it is in, are one.
class TouchedParts {
 public:
  void add(const program::Compute& compute);
  std::int64_t bytes() const { return bytes_; }

  using Begin = std::tuple<program::BufferId, int, std::int64_t>;  ///< buffer, age, offset
  struct Part {
    std::int64_t end = 0;
    graph::DType dtype = graph::DType::f32;
  };
  const std::map<Begin, Part>& all() const { return parts_; }

 private:
  void add(const program::Operand& operand);

  std::map<Begin, Part> parts_;  ///< disjoint
  std::int64_t bytes_ = 0;
};

/// Parts side by side in one allocation. Each by itself, small ones would come from a host's heap, which keeps some of
/// them resident when they are released. Integers are zero, which is a label, an index and a token of any model; floats
/// are small, and different ones.
class TimedMemory {
 public:
  TimedMemory(kernels::Device& device, const TouchedParts& parts);
  /// Where a view lies of those that the parts were made of, as far from a multiple of 256 bytes of the allocation as
  /// in its buffer. nullptr for an empty one.
  void* of(const program::View& view) const;

 private:
  DeviceMemory memory_;
  std::map<TouchedParts::Begin, std::byte*> places_;
};

}  // namespace ddlbench::runtime
