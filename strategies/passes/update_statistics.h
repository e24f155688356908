#pragma once

#include "strategies/passes/storage.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// Emits the update of running statistics after the last micro-batch (graph::Observation): sums the observations over
/// the axes over which they are partial and over their holders, one call per run of statistics, then updates the
/// statistics. `local`: uses the
/// observations of this rank only, which has as many as any other.
void update_statistics(const FlatLayout& layout, const Storage& storage, const RolePosition& position, bool local,
                       Writer& writer);

}  // namespace ddlbench::strategies
