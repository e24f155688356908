#pragma once

#include <cstdint>
#include <vector>

#include "comm/algorithms/steps.h"

namespace ddlbench::comm {

// The bandwidth-optimal ring of n ranks: each rank sends to its successor r + 1 and receives from its
// predecessor r − 1, all modulo n. The whole is n chunks in order; chunk i has counts[i] elements, of an
// all-reduce those of graph::part_of(count, n, i). Element-wise the order of summation is that of the ring:
// chunk c begins at rank c + 1 and ends at rank c, which alone holds the sum and passes its bits on.

/// Step s of n − 1: sends chunk r − s − 1, receives chunk r − s − 2 and reduces it; rank r ends with chunk r
/// in the output. So rank r sends every chunk but its own, r.
/// Partial sums on their way need scratch: two segments of the largest chunk that an even split would have
/// (none of 1 or 2 ranks, one of 3). Chunks larger than a segment go round in several turns; what an
/// uneven chunk sends is the same. The input stays as it is but for the own chunk when that is the output.
StepList ring_reduce_scatter(int rank, const std::vector<std::int64_t>& counts);

/// Elements of scratch that ring_reduce_scatter wants for any counts that sum to `count`.
std::int64_t ring_reduce_scatter_scratch(std::int64_t count, int ranks);

/// Step s of n − 1: sends chunk r − s, receives chunk r − s − 1. So rank r sends every chunk but r + 1.
StepList ring_all_gather(int rank, const std::vector<std::int64_t>& counts);

/// Reduce-scatter, then all-gather, over the chunks part_of(count, n, i), within the output: no scratch.
/// Rank r sends every chunk twice but its own r and r + 1, once each (of one rank: nothing at all).
StepList ring_all_reduce(int rank, int ranks, std::int64_t count);

}  // namespace ddlbench::comm
