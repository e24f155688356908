#pragma once

#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/problem.h"
#include "bench/config/registries.h"
#include "json/node.h"

namespace ddlbench::bench {

/// What no single setting shows: ranks that a strategy cannot have, and strategies that stand twice.
void check_strategies(const Experiment& experiment, const json::Node& document, const Registries& registries,
                      std::vector<json::Problem>& problems);

/// The ranks that a strategy runs at: its own, or those of its mesh, or those of the devices. `single` has 1.
/// Throws InputError where its settings contradict each other.
std::vector<int> ranks_of(const StrategyChoice& strategy, const Devices& devices, const Registries& registries);

}  // namespace ddlbench::bench
