#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graph/graph.h"
#include "program/cost_table.h"
#include "strategies/passes/stage_load.h"

namespace ddlbench::strategies {

/// The load of a stage of `ranks` ranks that has the items from `begin` to before `end`.
using ReplicatedLoad = std::function<double(int ranks, std::size_t begin, std::size_t end)>;

/// Divides `items` into consecutive blocks and `ranks` among them, in numbers that divide `microbatches`, so that the
/// heaviest block is as light as possible. Returns the number of ranks of each block; nothing where there are too few
/// items. Dynamic programming like PipeDream's planner (Harlap et al. 2018, section 3.2), O(ranks·divisors·items²).
std::vector<int> divide_ranks(std::size_t items, int ranks, int microbatches, const ReplicatedLoad& load);

/// Returns the number of ranks of each stage, so that the greatest stage_load() is least. `division`: all that does not
/// depend on the stages; every backward pass counts as one that recomputes. Throws Unsupported where the model has too
/// few layers.
std::vector<int> plan_stages(const graph::Graph& training, Division division, int ranks,
                             const program::CostTable& costs);

}  // namespace ddlbench::strategies
