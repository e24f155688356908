#pragma once

#include <string>
#include <vector>

#include "strategies/passes/storage.h"

namespace ddlbench::strategies {

/// Returns the axes of the mesh whose ranks have different samples.
std::vector<std::string> batch_axes(const program::Mesh& mesh);

/// Appends the mean of the parameters and statistics of all ranks, for an evaluation that reads it
/// (Storage::mean_parameters).
void append_mean_weights(const Storage& storage, const FlatLayout& layout, const RolePosition& position,
                         program::Instructions& section);

}  // namespace ddlbench::strategies
