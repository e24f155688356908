#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "program/program.h"
#include "runtime/channels.h"
#include "runtime/kernel_cache.h"
#include "runtime/operations.h"
#include "runtime/step_scalars.h"

namespace ddlbench::runtime {

inline constexpr std::size_t phases = 6;  ///< number of values of program::Phase

/// Work done by the instructions launched so far.
struct Launched {
  std::array<double, phases> flops{};
  std::int64_t launches = 0;
};

/// Communications that sequences of the same instructions share and start in turn: those at one ring position that
/// touch no inputs. Inputs lie at different addresses in each turn.
using SharedOperations = std::map<const program::Instruction*, std::shared_ptr<comm::Operation>>;

/// The arguments from which a sequence is prepared.
struct Preparation {
  const program::Plan& plan;
  const program::Program& program;
  kernels::Device& device;
  Channels channels;
  KernelCache& kernels;
  const Communicators& communicators;
  SharedOperations& operations;
  const StepScalars& scalars;
  Resolve resolve;
};

/// One prepared instruction. Exactly one of kernel, operation and copy bytes is set.
struct PreparedInstruction {
  kernels::Kernel* kernel = nullptr;
  comm::Operation* operation = nullptr;
  std::int64_t copy_bytes = 0;
  kernels::Arguments arguments;  ///< of a copy: source and target
  double flops = 0;
  std::size_t phase = 0;

  void count(Launched& launched) const {
    if (kernel == nullptr) return;
    launched.flops[phase] += flops;
    ++launched.launches;
  }
};

/// The instructions of a list at one ring position, with all pointers, kernels and communications resolved.
class PreparedInstructions {
 public:
  /// Throws ContractError naming an instruction that the engine cannot execute.
  PreparedInstructions(const std::vector<program::Instruction>& instructions, const Preparation& preparation);

  std::size_t size() const { return steps_.size(); }
  PreparedInstruction& operator[](std::size_t index) { return steps_[index]; }
  PreparedInstruction& operator[](program::InstructionId id) { return steps_[static_cast<std::size_t>(id)]; }
  const program::Instruction& instruction(std::size_t index) const { return instructions_[index]; }
  std::size_t largest_copy() const { return largest_copy_; }
  bool communicates() const { return !operations_.empty(); }

 private:
  void prepare(const program::Compute& compute, const graph::Scalars* scalars, PreparedInstruction& step,
               const Preparation& preparation);
  void prepare(const program::Copy& copy, PreparedInstruction& step, const Preparation& preparation);
  void prepare_communication(const program::Instruction& instruction, PreparedInstruction& step,
                             const Preparation& preparation);

  const std::vector<program::Instruction>& instructions_;
  std::vector<PreparedInstruction> steps_;
  std::vector<void*> pointers_;  ///< inputs and outputs of all computations and copies
  std::vector<std::shared_ptr<comm::Operation>> operations_;
  std::size_t largest_copy_ = 0;
};

}  // namespace ddlbench::runtime
