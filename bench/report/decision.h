#pragma once

#include <string>
#include <vector>

#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// Returns the recommendation for a contract, one printable line: the best case, by how much, the runner-up, and the
/// cases that are not ranked and why. Cases whose intervals overlap that of the fastest are a tie. The interval of a
/// ratio of step times is [slower's low / faster's high, slower's high / faster's low].
std::string decide(const Ranking& ranking);

/// Returns a line for each contract, and before them one that says how many there are, if there are several.
std::string decide(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
