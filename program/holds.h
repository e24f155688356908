#pragma once

#include <optional>
#include <vector>

#include "program/program.h"
#include "program/route.h"

namespace ddlbench::program {

/// Where an instruction is put; nothing where the host begins it by itself.
std::optional<graph::Stream> stream_of(const Instruction& instruction, Route communications);

/// What streams have to be held by, where each runs in order whatever is put on it in issue order: computations on
/// one, copies on another, communications as said. What a stream follows already, by its own order or by what it
/// was held by before, is left out. Of communications that the host completes nothing is said: program::settle.
struct Holds {
  /// Before each instruction: those of other streams that it is after and its stream does not follow yet, in order.
  /// It is enough to hold the stream by the last of each stream.
  std::vector<std::vector<InstructionId>> before;
  /// The same of the compute stream at the end: the last of each stream.
  std::vector<InstructionId> at_end;
};

Holds hold_streams(const std::vector<Instruction>& instructions, Route communications);

}  // namespace ddlbench::program
