#pragma once

#include <optional>
#include <string>

#include "bench/config/experiment.h"
#include "program/cost_table.h"

namespace ddlbench::bench {

/// Where profiles are kept: $XDG_CACHE_HOME/ddlbench, else ~/.cache/ddlbench. Empty, so that none is, where
/// neither is known, and where DDLBENCH_NO_CACHE is set.
std::string profile_folder();

/// What a time of an op or a collective depends on beside its key: host, device and library, cores, ranks and threads,
/// transport, precision, and this version of ddlbench.
std::string profile_context(const Experiment& experiment, const Case& which, int cores);

/// The profile of a context in `folder`; an empty table where there is none. Throws InputError naming the file where
/// it cannot be read.
program::CostTable load_profile(const std::string& folder, const std::string& context);

/// Adds to it, what was known of a key being replaced. The file is written beside and renamed.
void store_profile(const std::string& folder, const std::string& context, const program::CostTable& costs);

}  // namespace ddlbench::bench
