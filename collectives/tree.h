#pragma once

#include <cstdint>

#include "collectives/steps.h"

namespace ddlbench::collectives {

/// Emits the steps of a broadcast, which has this implementation only, within the output. The tree is binomial over
/// v = (rank − root) mod n: round j of ceil(log2 n) has the distance d = 2^(ceil(log2 n) − 1 − j), and every v that is
/// a multiple of 2d sends the whole tensor to v + d if that is below n. A rank sends the tensor once to each of its
/// children: n − 1 times over all ranks.
void binomial_broadcast(int rank, int ranks, std::int64_t count, int root, const Emit& emit);

/// Emits the steps of a dissemination barrier: ceil(log2 n) rounds of empty messages, to r + 2^j and from r − 2^j.
void dissemination_barrier(int rank, int ranks, const Emit& emit);

}  // namespace ddlbench::collectives
