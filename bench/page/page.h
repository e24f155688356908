#pragma once

#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Returns an HTML page with the sections of each run (sections.h), which needs no other file and no network. The
/// charts are drawn here; a script only sorts and filters tables.
std::string page(const std::vector<RunResults>& runs);

}  // namespace ddlbench::bench
