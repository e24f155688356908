#pragma once

#include <string>
#include <vector>

#include "bench/compare/compared_cases.h"

namespace ddlbench::bench {

/// Returns all cases as CSV, one per row; docs/comparing.md lists the columns.
std::string comparison_csv(const std::vector<ComparedCase>& cases);

}  // namespace ddlbench::bench
