#pragma once

#include <cstdint>
#include <vector>

#include "collectives/steps.h"

namespace ddlbench::collectives {

/// The one way to make an all-to-all. Step s of n − 1 (from 1): sends its part to r + s and receives from r − s,
/// modulo n; the own part is copied before. So a rank sends all its send_counts but its own.
void pairwise_all_to_all(int rank, const std::vector<std::int64_t>& send_counts,
                         const std::vector<std::int64_t>& receive_counts, const Emit& emit);

}  // namespace ddlbench::collectives
