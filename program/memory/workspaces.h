#pragma once

#include "program/cost_table.h"

namespace ddlbench::program {

/// Removes every workspace from the program.
void remove_workspaces(Program& program);

/// Gives every compute instruction and collective that needs scratch memory, according to `costs`, a transient buffer
/// of its own.
void add_workspaces(Program& program, const std::vector<Mesh>& meshes, const CostTable& costs);

}  // namespace ddlbench::program
