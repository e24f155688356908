#pragma once

#include <cstdint>

#include "comm/algorithms/steps.h"

namespace ddlbench::comm {

/// Binomial tree over v = (rank − root) mod n: v receives once, from v without its lowest set bit, and
/// sends the whole to v + 2^j for every 2^j below that bit (any, for the root) with v + 2^j < n, the largest
/// first. All within the output. A rank sends as many wholes as it has children; n − 1 over all ranks.
StepList binomial_broadcast(int rank, int ranks, std::int64_t count, int root);

/// Dissemination barrier: ceil(log2 n) rounds of empty messages, to r + 2^j and from r − 2^j.
StepList dissemination_barrier(int rank, int ranks);

}  // namespace ddlbench::comm
