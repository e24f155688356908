#pragma once

#include <vector>

#include "program/program.h"

namespace ddlbench::program {

/// What one thread that walks a list of instructions in issue order has to see complete, and when.
/// Settled beforehand: of communications that an earlier instruction has waited for, nothing is left to do.
/// For one thread alone: where instructions go on streams, what one stream has waited for another has not.
struct Waits {
  /// Before each instruction: the communications in flight that it is `after`.
  std::vector<std::vector<InstructionId>> communications;
  /// Before each communication or copy: the last compute instruction that it is `after`, or none.
  std::vector<InstructionId> compute;
  /// Communications still in flight at the end.
  std::vector<InstructionId> at_end;
};

Waits settle(const std::vector<Instruction>& instructions);

}  // namespace ddlbench::program
