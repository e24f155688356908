#pragma once

#include <iosfwd>

#include "program/plan.h"

namespace ddlbench::program {

/// The plan for a person: meshes, choices, each role with its buffers, and its instructions one a line.
void print(std::ostream& out, const Plan& plan);

}  // namespace ddlbench::program
