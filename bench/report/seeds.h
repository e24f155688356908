#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns a table for each contract that ran with several seeds and is otherwise equal: a line for each strategy and
/// number of ranks, with estimates and 95 % intervals over the seeds (bench/statistics/interval.h). Step times and speedups
/// are those of ranked cases; final accuracies and the ways to the target also those of other trained cases. A strategy
/// is compared with the fastest one on one rank by its differences in each seed that both have, and called better or
/// worse by Student's t with Holm's correction over the lines of the table. Empty without such a contract.
std::string format_seeds(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
