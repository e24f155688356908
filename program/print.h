#pragma once

#include <iosfwd>
#include <string>

#include "program/plan.h"

namespace ddlbench::program {

/// The plan for a person: meshes, choices, each role with its buffers, and its instructions one a line.
void print(std::ostream& out, const Plan& plan);

/// "pipeline=2 data=2"; several meshes are joined by " | ".
std::string describe_meshes(const Plan& plan);

}  // namespace ddlbench::program
