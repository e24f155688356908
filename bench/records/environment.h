#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ddlbench::bench {

/// What a result depends on and a configuration does not say: hardware, cores this process may use,
/// memory, GPUs, kernel, libraries, compiler and flags, git commit, Slurm ids. Unknown values are null.
nlohmann::json describe_environment();

/// "2026-11-21T08:15:30Z"
std::string utc_now();

}  // namespace ddlbench::bench
