#pragma once

#include <array>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "program/program.h"
#include "runtime/engine.h"
#include "runtime/kernel_cache.h"
#include "runtime/operations.h"
#include "runtime/recorder.h"

namespace ddlbench::runtime {

inline constexpr std::size_t phases = 6;  ///< of program::Phase

/// What the instructions launched so far have done.
struct Launched {
  std::array<double, phases> flops{};
  std::int64_t launches = 0;
};

/// What a sequence is prepared from.
struct Preparation {
  const program::Plan& plan;
  kernels::Device& device;
  KernelCache& kernels;
  const Communicators& communicators;
  const graph::Scalars* scalars;  ///< in device memory
  Resolve resolve;
};

/// What a sequence runs with.
struct Run {
  Mode mode;
  const Hook& before;
  Recorder& recorder;
  Launched& launched;
};

/// A list of instructions at one position of the rings, with every pointer, kernel, communication and
/// wait settled. Running it allocates nothing.
class Sequence {
 public:
  /// Throws ContractError naming an instruction that nothing here can execute.
  Sequence(const std::vector<program::Instruction>& instructions, const Preparation& preparation);

  /// Runs all and returns when all are complete. What a kernel or a communication throws names the
  /// instruction.
  void run(const Run& run);

 private:
  /// One instruction, ready: exactly one of kernel, operation and copy bytes is set.
  struct Step {
    kernels::Kernel* kernel = nullptr;
    comm::Operation* operation = nullptr;
    std::int64_t copy_bytes = 0;
    kernels::Arguments arguments;
    double flops = 0;
    std::size_t phase = 0;
    program::InstructionId event = program::none;  ///< of the compute that must be complete before
    bool record = false;                           ///< some communication is after this
    std::size_t first_wait = 0;
    std::size_t end_wait = 0;
  };

  void prepare(const program::Compute& compute, Step& step, const Preparation& preparation);
  void prepare(const program::Copy& copy, Step& step, const Preparation& preparation);
  void run_all(const Run& run, std::size_t& current);
  void execute(Step& step);
  std::int64_t wait_for_communication(program::InstructionId id, std::int64_t begin, const Run& run);
  std::int64_t wait_for_compute(program::InstructionId id, std::int64_t begin, const Run& run);

  const std::vector<program::Instruction>& instructions_;
  kernels::Device& device_;
  std::vector<Step> steps_;
  std::vector<program::InstructionId> waits_;  ///< of all steps, those at the end last
  std::vector<void*> pointers_;                ///< inputs and outputs of all compute steps and copies
  std::vector<comm::OperationPtr> operations_;
  std::vector<kernels::Event> events_;
  program::InstructionId last_compute_ = program::none;
  std::vector<std::byte> bounce_;  ///< host memory through which copies go
};

}  // namespace ddlbench::runtime
