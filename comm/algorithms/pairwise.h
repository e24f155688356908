#pragma once

#include <cstdint>
#include <vector>

#include "comm/algorithms/steps.h"

namespace ddlbench::comm {

/// Step s of n − 1 (from 1): sends its part to r + s and receives from r − s, modulo n; the own part is
/// copied. So a rank sends all its send_counts but its own.
StepList pairwise_all_to_all(int rank, const std::vector<std::int64_t>& send_counts,
                             const std::vector<std::int64_t>& receive_counts);

}  // namespace ddlbench::comm
