#pragma once

#include <vector>

#include "program/program.h"

namespace ddlbench::program {

/// The waits of a single thread that walks a list of instructions in issue order. A communication that an earlier
/// instruction has waited for is not waited for again. This holds for one thread only: a wait of one stream does not
/// imply a wait of another.
struct HostWaits {
  /// Before each instruction: the communications still in flight that are in its `after`.
  std::vector<std::vector<InstructionId>> communications;
  /// Before each communication or copy: the last compute instruction in its `after`, or `none`.
  std::vector<InstructionId> compute;
  /// Communications still in flight at the end.
  std::vector<InstructionId> at_end;
};

HostWaits plan_host_waits(const std::vector<Instruction>& instructions);

}  // namespace ddlbench::program
