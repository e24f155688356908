#pragma once

#include "program/program.h"

namespace ddlbench::strategies {

/// Moves each optimizer computation of a body (updates, norms of tensors, running statistics) to an earlier place:
/// right after the last instruction whose results it reads or that reads what it overwrites. A computation that reads a
/// reduction of gradients over ranks also stays after the next such reduction, or at its old place where there is none,
/// so that the compute stream does not wait for a reduction that has only just begun. `program::check` cannot detect an
/// update that comes before an instruction that reads its weights.
void hoist_updates(program::Program& program);

}  // namespace ddlbench::strategies
