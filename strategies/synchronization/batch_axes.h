#pragma once

#include <string>
#include <vector>

#include "program/mesh.h"

namespace ddlbench::strategies {

/// Returns the axes of the mesh whose ranks have different samples.
std::vector<std::string> batch_axes(const program::Mesh& mesh);

/// Returns the number of ranks that differ only in their coordinates on `axes`.
int ranks_on(const program::Mesh& mesh, const std::vector<std::string>& axes);

}  // namespace ddlbench::strategies
