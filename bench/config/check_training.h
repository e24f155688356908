#pragma once

#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/problem.h"

namespace ddlbench::bench {

/// Appends problems of the training section that no single setting shows: a schedule that the training never reaches,
/// and settings that exclude or require each other. Each variant of the experiment is checked.
void check_training(const Experiment& experiment, std::vector<json::Problem>& problems);

}  // namespace ddlbench::bench
