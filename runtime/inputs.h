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

/// Brings batches into the input slots of a program.
///
/// To an asynchronous device through pinned memory, in the stream of inputs: the host goes on, and waits only where the
/// batch before has not left that memory. There the host also looks for labels and tokens that there are none of,
/// as a kernel of such a device cannot throw; elsewhere the kernels do.
class Inputs {
 public:
  Inputs(const program::Program& program, int rank, kernels::Device& device, std::size_t turns);

  /// For the next step, whose turn it is, and which alone may be reading the slots. Throws ContractError where a slot's
  /// values are not given; InputError as kernels/labels.h says, naming the instruction that would have met it.
  void load(const void* values, const std::int32_t* labels, const std::int32_t* samples, const Resolve& resolve,
            std::size_t turn);
  /// What is put on the compute stream from now on follows all that was loaded.
  void hold();
  /// A step of this turn begins, with what was loaded for it.
  void take(std::size_t turn);

  /// The time mark after what was loaded for the turn's last step; null where nothing was.
  const OwnedMark* mark(std::size_t turn) const;
  bool any() const { return !slots_.empty(); }
  /// Whether each turn has memory of its own on the device (program::double_inputs).
  bool by_turn() const { return by_turn_; }

 private:
  /// Integers that an instruction reads out of a slot.
  struct Reading {
    const program::Instruction* instruction = nullptr;
    std::int64_t offset = 0;  ///< in bytes
    std::int64_t count = 0;
    std::int64_t limit = 0;  ///< classes, or the vocabulary
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
  OwnedMark left_;  ///< the pinned memory is free again
  bool in_flight_ = false;
  bool held_ = true;  ///< the compute stream, by left_
  struct Turn {
    OwnedMark loaded;    ///< just before left_, with its time
    bool fresh = false;  ///< since the turn's last step
    bool used = false;   ///< by that step
  };
  std::vector<Turn> turns_;  ///< of an asynchronous device
};

}  // namespace ddlbench::runtime
