#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Returns the orders of all ranks under list scheduling: the rank that can begin the earliest begins a backward pass
/// rather than a forward pass, of the earliest micro-batch, on its latest chunk. A micro-batch enters the pipeline only
/// while fewer than `most_in_flight` are in it.
std::vector<std::vector<Work>> list_schedule(const Pipeline& pipeline, int most_in_flight);

}  // namespace ddlbench::strategies
