#pragma once

#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/problem.h"
#include "json/node.h"

namespace ddlbench::bench {

/// Appends problems of the training section that no single setting shows: a schedule that the training never reaches,
/// and settings that exclude or require each other.
void check_training(const Experiment& experiment, const json::Node& document, std::vector<json::Problem>& problems);

}  // namespace ddlbench::bench
