#pragma once

#include "strategies/passes/storage.h"

namespace ddlbench::strategies {

/// Appends the mean of the parameters and statistics of all ranks, for an evaluation that reads it
/// (Storage::mean_parameters).
void append_mean_weights(const Storage& storage, const FlatLayout& layout, const RolePosition& position,
                         program::Instructions& section);

}  // namespace ddlbench::strategies
