#pragma once

#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/problem.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// Appends problems of devices/throttle that no single setting shows: ranks that no case has, and settings of a stall
/// without its rank. Each variant of the experiment is checked.
void check_throttle(const Experiment& experiment, const Registries& registries, std::vector<json::Problem>& problems);

}  // namespace ddlbench::bench
