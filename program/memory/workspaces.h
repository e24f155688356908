#pragma once

#include "program/cost_table.h"

namespace ddlbench::program {

/// Takes every workspace out of the program again.
void remove_workspaces(Program& program);

/// Gives every compute and collective that wants scratch, as the costs say, a transient buffer of its own.
void add_workspaces(Program& program, const std::vector<Mesh>& meshes, const CostTable& costs);

}  // namespace ddlbench::program
