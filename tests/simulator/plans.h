#pragma once

#include <string>

#include "program/cost_table.h"
#include "program/passes.h"
#include "program/plan.h"
#include "strategies/strategy.h"
#include "workloads/model.h"

namespace ddlbench::test {

/// Returns an MLP of `layers` linear layers of width 16 on samples of 15 values. Only the keys of its first layer
/// differ from the others'.
graph::Graph even_mlp(int layers, std::int64_t batch);

/// Returns a completed plan for such an MLP.
program::Plan compiled(const std::string& strategy, int ranks, std::int64_t batch, int layers,
                       const OptionValues& options = {});

/// Returns costs such that every layer takes 1 ms forward and 2 ms backward, of which the gradient of its weight takes
/// `weight_half` (the first layer computes no other gradient). Everything else takes no time; collectives take none
/// either, unless `collectives` is false and their time follows from the links.
program::CostTable even_costs(const program::Plan& plan, double weight_half = 0, bool collectives = true);

}  // namespace ddlbench::test
