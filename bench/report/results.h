#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns everything that a finished run prints of its timed cases: the tables, the recommendation and the warnings.
std::string format_results(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
