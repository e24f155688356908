#pragma once

#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// One for each record, in their order. A baseline is ok, not oversubscribed and its certificate did not fail.
std::vector<Comparison> compare(const std::vector<CaseRecord>& records);

}  // namespace ddlbench::bench
