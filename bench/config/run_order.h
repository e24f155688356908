#pragma once

#include <vector>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// Returns the cases in the order in which they run, so that early results are useful: all cases with the first seed
/// first; of these contract by contract, so that the cases of a contract can take their turns as soon as it has ended;
/// and within a contract from few ranks to many.
std::vector<Case> in_run_order(const std::vector<Case>& cases);

}  // namespace ddlbench::bench
