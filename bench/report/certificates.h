#pragma once

#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// Returns a table of each case's deviations with noise floor and tolerance, the cases without a certificate and why,
/// and how many certificates hold.
std::string format_certificates(const std::vector<CaseRecord>& records);

}  // namespace ddlbench::bench
