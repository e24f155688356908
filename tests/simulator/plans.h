#pragma once

#include <string>

#include "program/cost_table.h"
#include "program/passes.h"
#include "program/plan.h"
#include "strategies/strategy.h"
#include "workloads/model.h"

namespace ddlbench::test {

/// An mlp of `layers` linear layers 16 wide, on samples of 15 values: its first layer alone has its own keys.
graph::Graph even_mlp(int layers, std::int64_t batch);

/// A completed plan for it.
program::Plan compiled(const std::string& strategy, int ranks, std::int64_t batch, int layers,
                       const OptionValues& options = {});

/// Costs under which every layer takes 1 ms forward and 2 ms backward, of which the gradient of its weight
/// takes `weight_half` (the first layer has no other). All else takes nothing, collectives too unless they are
/// left to the links.
program::CostTable even_costs(const program::Plan& plan, double weight_half = 0, bool collectives = true);

}  // namespace ddlbench::test
