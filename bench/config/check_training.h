#pragma once

#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/problem.h"
#include "json/node.h"

namespace ddlbench::bench {

/// What no single setting of the training shows: a schedule that the training never reaches, settings that exclude each
/// other or need one another.
void check_training(const Experiment& experiment, const json::Node& document, std::vector<json::Problem>& problems);

}  // namespace ddlbench::bench
