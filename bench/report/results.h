#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns everything that a finished run prints of its timed cases: the tables, the recommendation and the warnings.
std::string format_results(const std::vector<Ranking>& rankings);

/// Returns lines that say what the run in this folder lacks: other parts of its experiment, cases, rounds; empty if it is
/// complete.
std::string format_missing(const std::vector<Ranking>& rankings, const Records& records, const std::string& folder);

}  // namespace ddlbench::bench
