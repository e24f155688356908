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
/// To an asynchronous device through pinned memory, in the compute stream: the host goes on, and waits only where the
/// batch before has not left that memory. There the host also looks for labels and tokens that there are none of,
/// as a kernel of such a device cannot throw; elsewhere the kernels do.
class Inputs {
 public:
  Inputs(const program::Program& program, int rank, kernels::Device& device);

  /// Throws ContractError where a slot's values are not given; InputError as kernels/labels.h says, naming the
  /// instruction that would have met it.
  void load(const void* values, const std::int32_t* labels, const std::int32_t* samples, const Resolve& resolve);

  /// The time mark after what was loaded since this was last asked; null where nothing was.
  const OwnedMark* take_mark();
  bool any() const { return !slots_.empty(); }

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
  OwnedMark left_;    ///< the pinned memory is free again
  OwnedMark loaded_;  ///< the same, with its time
  bool in_flight_ = false;
  bool fresh_ = false;
};

}  // namespace ddlbench::runtime
