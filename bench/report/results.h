#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns everything that a finished run prints of its timed cases: the tables, the recommendation and the warnings.
std::string format_results(const std::vector<Ranking>& rankings);

/// Returns a line that says how many of the cases of the run in this folder have ended; empty if all have.
std::string format_missing(const Records& records, const std::string& folder);

}  // namespace ddlbench::bench
