#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// The ranked table of each contract, and below it what is not ranked and why.
std::string format_table(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
