#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "kernels/device.h"
#include "program/program.h"
#include "runtime/storage.h"

/// Memory for computations that are timed outside their program.
namespace ddlbench::runtime {

/// The ranges of buffers that computations read and write, rounded outwards to multiples of 256 bytes. Overlapping
/// ranges, such as a weight and the flat storage that contains it, are merged.
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

/// Parts side by side in one allocation. If small parts were allocated one by one, they would come from the host's
/// heap, some of which stays resident after release. Integers are zero, which is a valid label, index and token for any
/// model. Floats are small and vary.
class TimedMemory {
 public:
  TimedMemory(kernels::Device& device, const TouchedParts& parts);
  /// Returns the address of a view that lies in one of the parts, with the same offset modulo 256 bytes as in its
  /// buffer. Returns nullptr for an empty view.
  void* of(const program::View& view) const;

 private:
  DeviceMemory memory_;
  std::map<TouchedParts::Begin, std::byte*> places_;
};

}  // namespace ddlbench::runtime
