#pragma once

#include <iosfwd>
#include <string>

#include "program/plan.h"

namespace ddlbench::program {

/// Prints the plan for people to read: meshes, choices, and each role with its buffers and one instruction per line.
void print(std::ostream& out, const Plan& plan);

/// Returns "pipeline=2 data=2". Several meshes are joined by " | ".
std::string describe_meshes(const Plan& plan);

}  // namespace ddlbench::program
