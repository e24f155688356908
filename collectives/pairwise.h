#pragma once

#include <cstdint>
#include <vector>

#include "collectives/steps.h"

namespace ddlbench::collectives {

/// Emits the steps of an all-to-all, which has this implementation only. The rank first copies its own part. In step s
/// of n − 1 (s starts at 1), rank r sends a part to r + s and receives one from r − s, modulo n. A rank thus sends all
/// its send_counts but its own.
void pairwise_all_to_all(int rank, const std::vector<std::int64_t>& send_counts,
                         const std::vector<std::int64_t>& receive_counts, const Emit& emit);

}  // namespace ddlbench::collectives
