#pragma once

#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// Returns one comparison for each record, in the same order. A baseline is a one-rank row that is ok, has timed steps,
/// did not share its resources, and whose certificate did not fail.
std::vector<Comparison> compare(const std::vector<CaseRecord>& records);

}  // namespace ddlbench::bench
