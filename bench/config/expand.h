#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// Notes in a case why it cannot run, where it cannot.
using Judge = std::function<void(const Experiment&, Case&)>;

/// Every point of every sweep: workloads × strategies × ranks × global batch × seed. `single`, the baseline, runs on
/// all cores, and also with `threads_per_rank` where that is another number. A rank whose device is apart from the
/// host's cores wants one of them, or `threads_per_rank`.
std::vector<Case> expand(const Experiment& experiment, const Registries& registries, int cores,
                         const Judge& judge = {});

/// Throws ConfigError where a strategy can run in none of its cases, with every reason.
void require_runnable(const Experiment& experiment, const std::vector<Case>& cases);

}  // namespace ddlbench::bench
