#pragma once

#include "program/program.h"

namespace ddlbench::strategies {

/// Moves each of the optimizer's computations in a body (updates, norms of tensors, running statistics) to an earlier
/// place: behind the last instruction whose results it takes or which still needs what it overwrites. What takes a sum
/// of gradients over ranks stays behind the next such sum, too, where there is one, else where it was: computing is not
/// to wait for what has only just begun. `program::check` cannot tell an update that comes before a reader of its
/// weights from one behind it.
void hoist_updates(program::Program& program);

}  // namespace ddlbench::strategies
