#pragma once

#include <optional>
#include <vector>

#include "program/program.h"
#include "program/route.h"

namespace ddlbench::program {

/// Returns the stream on which an instruction runs, or nothing if the host runs it without a stream.
std::optional<graph::Stream> stream_of(const Instruction& instruction, Route communications);

/// The waits that streams need if each stream runs its instructions in issue order: computations on one stream, copies
/// on another, communications according to the Route. The result omits a wait if the stream's own order or an earlier
/// wait implies it. It also does not include waits for communications that the host completes; see program::settle.
struct StreamWaits {
  /// For each instruction, in ascending order: the instructions of other streams that it depends on and that its stream
  /// does not follow yet. It is enough to wait for the last instruction of each stream.
  std::vector<std::vector<InstructionId>> before;
  /// The instructions that the compute stream must wait for at the end: the last of each stream.
  std::vector<InstructionId> at_end;
};

StreamWaits plan_stream_waits(const std::vector<Instruction>& instructions, Route communications);

}  // namespace ddlbench::program
