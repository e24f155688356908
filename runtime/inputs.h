#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "program/program.h"
#include "runtime/host_memory.h"
#include "runtime/operations.h"
#include "runtime/sequence.h"

namespace ddlbench::runtime {

/// Loads batches into the input slots of a program.
///
/// For an asynchronous device, batches go through pinned memory and the input stream. The host continues, and waits
/// only if the previous batch has not left the pinned memory. The host then also validates labels and tokens, because
/// kernels of such a device cannot throw; on other devices the kernels do.
class Inputs {
 public:
  Inputs(const program::Program& program, int rank, kernels::Device& device, std::size_t turns);

  /// Loads a batch for the next step, which has turn `turn`. No other step may be reading the slots. Throws
  /// ContractError if the values of a slot are not given, and InputError as described in kernels/labels.h, naming the
  /// instruction that would read the invalid value.
  void load(const void* values, const std::int32_t* labels, const std::int32_t* samples, const Resolve& resolve,
            std::size_t turn);
  /// Makes later work on the compute stream wait for everything loaded so far.
  void wait_for_event();
  /// Marks the batch loaded for this turn as used by the step that now begins.
  void take(std::size_t turn);

  /// Returns the time event recorded after the batch of the turn's last step, or nullptr if nothing was loaded for it.
  const OwnedEvent* event(std::size_t turn) const;
  bool any() const { return !slots_.empty(); }
  /// Returns true if each turn has its own memory on the device (program::double_inputs).
  bool by_turn() const { return by_turn_; }

 private:
  /// Integers that an instruction reads from a slot.
  struct Reading {
    const program::Instruction* instruction = nullptr;
    std::int64_t offset = 0;  ///< in bytes
    std::int64_t count = 0;
    std::int64_t limit = 0;  ///< number of classes, or size of the vocabulary
    bool labels = false;
  };
  struct Slot {
    const program::InputSlot* slot = nullptr;
    std::vector<Reading> readings;
    HostMemory pinned;
  };

  void require_known(const Slot& slot, const std::byte* source) const;

  kernels::Device& device_;
  int rank_;
  std::vector<Slot> slots_;
  bool by_turn_ = true;
  OwnedEvent left_;  ///< recorded when the pinned memory is free again
  bool in_flight_ = false;
  bool held_ = true;  ///< whether the compute stream waits for left_
  struct Turn {
    OwnedEvent loaded;   ///< recorded just before left_, with its time
    bool fresh = false;  ///< loaded since the turn's last step
    bool used = false;   ///< loaded for the turn's last step
  };
  std::vector<Turn> turns_;  ///< of an asynchronous device
};

}  // namespace ddlbench::runtime
