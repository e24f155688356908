#pragma once

#include <string>

#include "bench/config/experiment.h"
#include "program/cost_table.h"

namespace ddlbench::bench {

/// Returns the context on which the time of an op or a collective depends beside its key: host, device and library,
/// cores, ranks and threads, transport, precision, and the version of ddlbench.
std::string profile_context(const Experiment& experiment, const Case& which, int cores);

/// Returns the profile of a context kept in `folder` (bench/records/cache_file.h); an empty table if there is none.
program::CostTable load_profile(const std::string& folder, const std::string& context);

/// Adds `costs` to the profile; a key that exists is overwritten. Returns whether the profile could be stored; if not,
/// prints the reason to std::cerr.
bool store_profile(const std::string& folder, const std::string& context, const program::CostTable& costs);

}  // namespace ddlbench::bench
