#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "graph/scalars.h"
#include "kernels/device.h"
#include "program/program.h"
#include "runtime/host_memory.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

/// The scalars of the current step in device memory, and those of the previous training step for the instructions that
/// complete its work (program::Instruction::completes_previous_step). A program that keeps the loss scaler itself has
/// planned memory for its scalars, and no such instructions.
class StepScalars {
 public:
  /// `planned`: the planned scalars, or nullptr.
  StepScalars(kernels::Device& device, std::byte* planned);

  /// Returns the size of the memory that is not planned.
  static std::int64_t unplanned_bytes(const program::Program& training);
  /// Returns the size of the pinned memory of a turn.
  static std::size_t pinned_bytes(const kernels::Device& device);

  const graph::Scalars* of_step() const { return reinterpret_cast<const graph::Scalars*>(at_); }
  const graph::Scalars* of_previous_step() const { return planned_ ? nullptr : of_step() + 1; }

  /// Sets the scalars of a step. The previous step that used `pinned` must be complete. A scaler kept by the program is
  /// not overwritten.
  void set(const graph::Scalars& values, bool training, const HostMemory& pinned);
  /// Returns the scaler that the program keeps; nothing if it keeps none.
  std::optional<graph::LossScaler> scaler() const;

 private:
  struct Pair {
    graph::Scalars step, previous;
  };

  kernels::Device& device_;
  bool planned_;
  DeviceMemory own_;
  std::byte* at_;
  Pair values_;
};

}  // namespace ddlbench::runtime
