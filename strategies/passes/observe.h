#pragma once

#include "strategies/passes/storage.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// After the last micro-batch: what was observed for running statistics is summed over the axes that it is partial
/// over, a run of statistics in one call, and they are updated (graph::Observation).
void update_statistics(const FlatLayout& layout, const Storage& storage, const RolePosition& position, Writer& writer);

}  // namespace ddlbench::strategies
