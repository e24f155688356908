#include "runtime/sequence.h"

#include <algorithm>

#include "graph/error.h"
#include "program/actions.h"
#include "program/waits.h"
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

}  // namespace

Sequence::Sequence(const std::vector<Instruction>& instructions, const Preparation& preparation)
    : instructions_(instructions),
      device_(preparation.device),
      steps_(instructions.size()),
      events_(instructions.size()) {
  std::generate(events_.begin(), events_.end(), [this] { return device_.make_event(kernels::Mark::order); });
  const Waits waits = settle(instructions);
  pointers_.reserve(pointer_count(instructions));  // arguments point into it
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    Step& step = steps_[i];
    step.phase = static_cast<std::size_t>(instruction.phase);
    step.first_wait = waits_.size();
    waits_.insert(waits_.end(), waits.communications[i].begin(), waits.communications[i].end());
    step.end_wait = waits_.size();
    step.event = waits.compute[i];
    if (step.event != none) steps_[static_cast<std::size_t>(step.event)].record = true;
    try {
      if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
        prepare(*compute, step, preparation);
        last_compute_ = static_cast<InstructionId>(i);
      } else if (const auto* copy = std::get_if<Copy>(&instruction.action)) {
        prepare(*copy, step, preparation);
      } else if (is_communication(instruction)) {
        operations_.push_back(
            runtime::prepare(instruction, preparation.plan, preparation.communicators, preparation.resolve));
        step.operation = operations_.back().get();
      } else {
        throw ContractError("packing is not executed by this engine");
      }
    } catch (...) {
      rethrow_in("instruction '" + instruction.name + "'");
    }
  }
  waits_.insert(waits_.end(), waits.at_end.begin(), waits.at_end.end());
}

void Sequence::prepare(const Compute& compute, Step& step, const Preparation& preparation) {
  step.kernel = &preparation.kernels.of(compute);
  step.flops = step.kernel->flops();
  const auto wanted = static_cast<std::int64_t>(step.kernel->workspace_bytes());
  require(wanted <= compute.workspace.bytes, "its kernel wants a workspace of " + std::to_string(wanted) +
                                                 " bytes, planned are " + std::to_string(compute.workspace.bytes));
  void* const* inputs = pointers_.data() + pointers_.size();
  for (const Operand& operand : compute.inputs) pointers_.push_back(preparation.resolve(operand.view));
  void* const* outputs = pointers_.data() + pointers_.size();
  for (const Operand& operand : compute.outputs) pointers_.push_back(preparation.resolve(operand.view));
  step.arguments = {const_cast<const void* const*>(inputs), outputs, preparation.resolve(compute.workspace),
                    preparation.scalars};
}

void Sequence::prepare(const Copy& copy, Step& step, const Preparation& preparation) {
  require(copy.from.bytes == copy.to.bytes && copy.from.bytes > 0, "a copy's two ends differ in size");
  step.copy_bytes = copy.from.bytes;
  void* const* ends = pointers_.data() + pointers_.size();
  pointers_.push_back(preparation.resolve(copy.from));
  pointers_.push_back(preparation.resolve(copy.to));
  step.arguments.inputs = const_cast<const void* const*>(ends);
  step.arguments.outputs = ends + 1;
  bounce_.resize(std::max(bounce_.size(), static_cast<std::size_t>(copy.from.bytes)));
}

void Sequence::run(const Run& run) {
  std::size_t current = 0;
  try {
    run_all(run, current);
  } catch (...) {
    rethrow_in("instruction '" + instructions_[current].name + "'");
  }
}

// The end of one stretch is the beginning of the next, so that each costs one reading of the clock.
void Sequence::run_all(const Run& run, std::size_t& current) {
  if (steps_.empty()) return;
  std::int64_t time = now();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    for (std::size_t w = step.first_wait; w < step.end_wait; ++w) {
      current = static_cast<std::size_t>(waits_[w]);
      time = wait_for_communication(waits_[w], time, run);
    }
    current = i;
    if (step.event != none) time = wait_for_compute(step.event, time, run);
    if (run.before) run.before(run.mode, instructions_[i]);
    execute(step);
    if (step.kernel != nullptr) {
      run.launched.flops[step.phase] += step.flops;
      ++run.launched.launches;
    }
    if (step.record) device_.record(events_[i], kernels::Stream::compute);
    const std::int64_t end = now();
    run.recorder.span(Activity::compute, static_cast<InstructionId>(i), time, end);
    time = end;
  }
  for (std::size_t w = steps_.back().end_wait; w < waits_.size(); ++w) {
    current = static_cast<std::size_t>(waits_[w]);
    time = wait_for_communication(waits_[w], time, run);
  }
  if (last_compute_ == none) return;
  device_.record(events_[static_cast<std::size_t>(last_compute_)], kernels::Stream::compute);
  wait_for_compute(last_compute_, time, run);
}

void Sequence::execute(Step& step) {
  if (step.kernel != nullptr) {
    step.kernel->launch(step.arguments);
  } else if (step.operation != nullptr) {
    step.operation->start();
  } else {
    const auto bytes = static_cast<std::size_t>(step.copy_bytes);
    device_.copy_out(bounce_.data(), step.arguments.inputs[0], bytes);
    device_.copy_in(step.arguments.outputs[0], bounce_.data(), bytes);
  }
}

std::int64_t Sequence::wait_for_communication(InstructionId id, std::int64_t begin, const Run& run) {
  comm::Operation& operation = *steps_[static_cast<std::size_t>(id)].operation;
  operation.wait();
  const std::int64_t end = now();
  run.recorder.span(Activity::wait, id, begin, end);
  run.recorder.transfer(id, operation.times());
  return end;
}

std::int64_t Sequence::wait_for_compute(InstructionId id, std::int64_t begin, const Run& run) {
  const kernels::Event event = events_[static_cast<std::size_t>(id)];
  if (device_.complete(event)) return begin;
  device_.wait(event);
  const std::int64_t end = now();
  run.recorder.span(Activity::compute, id, begin, end);
  return end;
}

}  // namespace ddlbench::runtime
