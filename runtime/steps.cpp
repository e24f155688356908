#include "runtime/steps.h"

#include <algorithm>

#include "base/error.h"
#include "program/actions.h"
#include "runtime/rethrow.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

std::size_t pointer_count(const std::vector<Instruction>& instructions) {
  std::size_t count = 0;
  for (const Instruction& instruction : instructions) {
    if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
      count += compute->inputs.size() + compute->outputs.size();
    }
    if (std::holds_alternative<Copy>(instruction.action)) count += 2;
  }
  return count;
}

void* place_of(const View& view, const Preparation& preparation) {
  void* const place = preparation.resolve(view);
  require(reinterpret_cast<std::uintptr_t>(place) % static_cast<std::uintptr_t>(alignment_of(view)) == 0,
          "an operand has less alignment than its kernel was bound for");
  return place;
}

}  // namespace

PreparedInstructions::PreparedInstructions(const std::vector<Instruction>& instructions, const Preparation& preparation)
    : instructions_(instructions), steps_(instructions.size()) {
  pointers_.reserve(pointer_count(instructions));  // arguments point into it
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    PreparedInstruction& step = steps_[i];
    step.phase = static_cast<std::size_t>(instruction.phase);
    try {
      if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
        prepare(*compute, preparation.scalars.of(instruction.steps_back), step, preparation);
      } else if (const auto* copy = std::get_if<Copy>(&instruction.action)) {
        prepare(*copy, step, preparation);
      } else if (is_communication(instruction)) {
        prepare_communication(instruction, step, preparation);
      } else {
        throw ContractError("this engine does not execute packing");
      }
    } catch (...) {
      rethrow_in("instruction '" + instruction.name + "'");
    }
  }
}

void PreparedInstructions::prepare(const Compute& compute, const graph::Scalars* scalars, PreparedInstruction& step,
                                   const Preparation& preparation) {
  step.kernel = &preparation.kernels.of(compute);
  step.flops = step.kernel->flops();
  const auto wanted = static_cast<std::int64_t>(step.kernel->workspace_bytes());
  require(wanted <= compute.workspace.bytes, "its kernel needs a workspace of {} bytes, but the plan has {}", wanted,
          compute.workspace.bytes);
  void* const* inputs = pointers_.data() + pointers_.size();
  for (const Operand& operand : compute.inputs) pointers_.push_back(place_of(operand.view, preparation));
  void* const* outputs = pointers_.data() + pointers_.size();
  for (const Operand& operand : compute.outputs) pointers_.push_back(place_of(operand.view, preparation));
  step.arguments = {const_cast<const void* const*>(inputs), outputs, preparation.resolve(compute.workspace), scalars};
}

void PreparedInstructions::prepare_communication(const Instruction& instruction, PreparedInstruction& step,
                                                 const Preparation& preparation) {
  const std::vector<Access> touched = accesses(preparation.program, instruction);
  const bool of_inputs = std::any_of(touched.begin(), touched.end(), [&](const Access& access) {
    const Buffer& buffer = preparation.program.buffers[static_cast<std::size_t>(access.view.buffer)];
    return buffer.memory_class == MemoryClass::inputs;
  });
  std::shared_ptr<comm::Operation> own;
  std::shared_ptr<comm::Operation>& operation = of_inputs ? own : preparation.operations[&instruction];
  if (operation == nullptr) {
    operation = runtime::prepare(instruction, preparation.plan, preparation.communicators, preparation.resolve);
  }
  operations_.push_back(operation);
  step.operation = operation.get();
}

void PreparedInstructions::prepare(const Copy& copy, PreparedInstruction& step, const Preparation& preparation) {
  require(copy.from.bytes == copy.to.bytes && copy.from.bytes > 0, "a copy's two ends differ in size");
  step.copy_bytes = copy.from.bytes;
  void* const* ends = pointers_.data() + pointers_.size();
  pointers_.push_back(preparation.resolve(copy.from));
  pointers_.push_back(preparation.resolve(copy.to));
  step.arguments.inputs = const_cast<const void* const*>(ends);
  step.arguments.outputs = ends + 1;
  largest_copy_ = std::max(largest_copy_, static_cast<std::size_t>(copy.from.bytes));
}

}  // namespace ddlbench::runtime
