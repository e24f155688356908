#pragma once

#include <string>

#include "bench/config/experiment.h"
#include "program/cost_table.h"

namespace ddlbench::bench {

/// What a time of an op or a collective depends on beside its key: host, device and library, cores, ranks and threads,
/// transport, precision, and this version of ddlbench.
std::string profile_context(const Experiment& experiment, const Case& which, int cores);

/// The profile of a context in `folder` (bench/records/cache_file.h); an empty table where there is none.
program::CostTable load_profile(const std::string& folder, const std::string& context);

/// Adds to it, what was known of a key being replaced. Whether it is kept: where it is not, std::cerr is told why.
bool store_profile(const std::string& folder, const std::string& context, const program::CostTable& costs);

}  // namespace ddlbench::bench
