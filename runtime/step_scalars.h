#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/scalars.h"
#include "kernels/device.h"
#include "program/program.h"
#include "runtime/host_memory.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

/// The scalars of the current step in device memory, and those of as many training steps before it as the instructions
/// need that complete their work (program::Instruction::steps_back). A program that keeps the loss scaler itself has
/// planned memory for its scalars, and no such instructions.
class StepScalars {
 public:
  /// `planned`: the planned scalars, or nullptr.
  StepScalars(kernels::Device& device, const program::Program& training, std::byte* planned);

  /// Returns the size of the memory that is not planned.
  static std::int64_t unplanned_bytes(const program::Program& training);
  /// Returns the size of the pinned memory of a turn.
  static std::size_t pinned_bytes(const kernels::Device& device, const program::Program& training);

  /// Returns the scalars of the step that many steps before the current one. Throws ContractError if they are not kept.
  const graph::Scalars* of(int steps_back) const;

  /// Sets the scalars of a step; of a training step, the learning rate that the program's DelayedRate makes of theirs.
  /// The previous step that used `pinned` must be complete. A scaler kept by the program is not overwritten.
  void set(const graph::Scalars& values, bool training, const HostMemory& pinned);
  /// Makes the last training step the one before a step that has no scalars of its own.
  void advance(const HostMemory& pinned) { send(values_.front(), true, pinned); }
  /// Returns the scaler that the program keeps; nothing if it keeps none.
  std::optional<graph::LossScaler> scaler() const;

 private:
  void send(const graph::Scalars& values, bool training, const HostMemory& pinned);

  kernels::Device& device_;
  program::DelayedRate rate_;
  bool planned_;
  DeviceMemory own_;
  std::byte* at_;
  std::vector<graph::Scalars> values_;  ///< of the last training step, of the one before, and so on
  std::vector<graph::Scalars> sent_;    ///< to the device
};

}  // namespace ddlbench::runtime
