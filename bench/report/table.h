#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns the table of ranked cases for each contract, and below it the cases that are not ranked and why.
std::string format_table(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
