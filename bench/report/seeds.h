#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns the tables of seed_summary.h as text, with a line for each strategy and number of ranks. Empty if there are
/// none.
std::string format_seeds(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
