#pragma once

#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// Each case's deviations beside the noise floor and the tolerance, what has no certificate and why, and how
/// many hold.
std::string format_certificates(const std::vector<CaseRecord>& records);

}  // namespace ddlbench::bench
