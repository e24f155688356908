#pragma once

#include <vector>

#include "program/happens_before.h"

namespace ddlbench::program {

/// The lifetime of a transient buffer within one section.
struct Lifetime {
  BufferId buffer = none;
  int first = HappensBefore::never;  ///< issue index of the first access; −1 if the buffer is loaded before the step
  int last = -1;                     ///< issue index of the last access; `never` if the buffer is read after the step
  int first_compute = HappensBefore::never;  ///< positions in the compute stream
  int last_compute = -1;
  std::vector<InstructionId> others;  ///< accesses by other streams, ascending

  /// From this position of the compute stream on, no access can be in progress; `never` if that is not certain.
  int settled = -1;
};

/// Returns the lifetimes of the transient buffers that a section uses, in the order of their first access. If the
/// section is a body, the host loads the buffers of `program.inputs` before it and reads those of `program.metrics`
/// after it.
std::vector<Lifetime> lifetimes(const Program& program, int section, const HappensBefore& order);

}  // namespace ddlbench::program
