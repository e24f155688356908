#pragma once

#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/problem.h"
#include "bench/config/registries.h"
#include "json/node.h"

namespace ddlbench::bench {

/// Appends problems that no single setting shows: numbers of ranks that a strategy cannot run on, and strategies that
/// are listed twice.
void check_strategies(const Experiment& experiment, const json::Node& document, const Registries& registries,
                      std::vector<json::Problem>& problems);

/// Returns the numbers of ranks that a strategy runs on. A strategy with a mesh runs on as many ranks as its mesh has,
/// and `single` on 1. Others run on their own `ranks` if they have any, otherwise on those of the devices. Throws
/// InputError if `ranks` contradicts the mesh.
std::vector<int> ranks_of(const StrategyChoice& strategy, const Devices& devices, const Registries& registries);

}  // namespace ddlbench::bench
