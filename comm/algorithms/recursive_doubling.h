#pragma once

#include <cstdint>

#include "comm/algorithms/steps.h"

namespace ddlbench::comm {

/// All-reduce in few, whole messages, for small tensors. Of n = 2^k + e ranks, 0 ≤ e < 2^k, the first 2e pair
/// up: each odd one sends its buffer to its even neighbour below. The 2^k that remain (the evens of the
/// pairs, then ranks 2e …) exchange whole buffers k times, with partners at distance 1, 2, 4 … among
/// themselves; at last each even one sends the result to its odd neighbour.
/// With S elements, a rank sends: odd r < 2e: S; even r < 2e: (k + 1)·S; r ≥ 2e: k·S. Over all ranks that
/// is 2^k·k·S + 2e·S.
/// All ranks reduce in the same tree, the lower ranks' value first. Scratch: S where n > 1.
/// `in_place`: input and output are the same memory.
StepList recursive_doubling_all_reduce(int rank, int ranks, std::int64_t count, bool in_place);

}  // namespace ddlbench::comm
