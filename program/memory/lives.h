#pragma once

#include <vector>

#include "program/happens_before.h"

namespace ddlbench::program {

/// When a transient buffer holds something, within one section.
struct Life {
  BufferId buffer = none;
  int first = HappensBefore::never;  ///< issue index of the first access; −1 of what is loaded before the step
  int last = -1;                     ///< of the last access; `never` of what is read after the step
  int first_compute = HappensBefore::never;  ///< positions in the compute stream
  int last_compute = -1;
  std::vector<InstructionId> others;  ///< accesses by other streams, ascending

  /// From this position of the compute stream on, no access can be under way; `never` if that is not sure.
  int settled = -1;
};

/// The lives of the transient buffers that `section` uses, in the order of their first access. Loaded and
/// read by the host is what `program.inputs` and `program.metrics` name, if the section is the body.
std::vector<Life> lives(const Program& program, const std::vector<Instruction>& section, const HappensBefore& order);

}  // namespace ddlbench::program
