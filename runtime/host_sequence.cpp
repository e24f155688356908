#include "runtime/host_sequence.h"

#include "runtime/rethrow.h"

namespace ddlbench::runtime {

using namespace program;

HostSequence::HostSequence(const std::vector<Instruction>& instructions, const Preparation& preparation)
    : device_(preparation.device),
      steps_(instructions, preparation),
      waits_(plan_host_waits(instructions)),
      bounce_(steps_.largest_copy()) {}

void HostSequence::issue(const Run& run) {
  std::size_t current = 0;
  try {
    run_all(run, current);
  } catch (...) {
    rethrow_in("instruction '" + steps_.instruction(current).name + "'");
  }
}

// The end of each span is the beginning of the next, so that a span needs only one clock reading.
void HostSequence::run_all(const Run& run, std::size_t& current) {
  std::int64_t time = now();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const InstructionId id : waits_.communications[i]) {
      current = static_cast<std::size_t>(id);
      time = wait(id, time, run);
    }
    current = i;
    if (run.before) run.before(run.mode, steps_.instruction(i));
    execute(steps_[i]);
    steps_[i].count(run.launched);
    const std::int64_t end = now();
    run.recorder.span(Activity::compute, static_cast<InstructionId>(i), time, end);
    time = end;
  }
  for (const InstructionId id : waits_.at_end) {
    current = static_cast<std::size_t>(id);
    time = wait(id, time, run);
  }
}

void HostSequence::execute(PreparedInstruction& step) {
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

std::int64_t HostSequence::wait(InstructionId id, std::int64_t begin, const Run& run) {
  comm::Operation& operation = *steps_[id].operation;
  operation.wait();
  const std::int64_t end = now();
  run.recorder.span(Activity::wait, id, begin, end);
  run.recorder.transfer(id, operation.times());
  return end;
}

}  // namespace ddlbench::runtime
