#pragma once

#include <cstdint>

#include "collectives/steps.h"

namespace ddlbench::collectives {

/// The one way to make a broadcast, all within the output. Binomial tree over v = (rank − root) mod n: round j of
/// ceil(log2 n) has the distance d = 2^(ceil(log2 n) − 1 − j), and every v that is a multiple of 2d sends the whole to
/// v + d where that is below n. So a rank sends as many wholes as it has children; n − 1 over all ranks.
void binomial_broadcast(int rank, int ranks, std::int64_t count, int root, const Emit& emit);

/// Dissemination barrier: ceil(log2 n) rounds of empty messages, to r + 2^j and from r − 2^j.
void dissemination_barrier(int rank, int ranks, const Emit& emit);

}  // namespace ddlbench::collectives
