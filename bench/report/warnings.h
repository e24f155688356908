#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns a sentence for each kind of result that looks wrong or that noise affects, with the worst case of the
/// contract: rounds, or steps and epochs, that differ by more than 10 %, a speedup whose whole interval is above the
/// number of ranks, a prediction off by more than a factor of two, steps that wait for input for more than 10 % of
/// their time, and a rank that computes for more than 1.2 times as long as another one that has equal work. Each is one
/// printable line.
std::vector<std::string> warnings_of(const Ranking& ranking);

/// Returns the warnings of all contracts, a line "warning: …" for each.
std::string format_warnings(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
