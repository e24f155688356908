#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Returns the orders of all ranks, `orders` of forwards and input halves, with the weight halves put where a rank
/// would wait for at least half of their time, or where it holds the activations of `most_held` forwards and must end a
/// weight half before the next forward.
std::vector<std::vector<Work>> fill_weights(const Pipeline& pipeline, const std::vector<std::vector<Work>>& orders,
                                            int most_held);

}  // namespace ddlbench::strategies
