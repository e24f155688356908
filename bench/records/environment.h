#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ddlbench::bench {

/// Returns what results depend on besides the configuration: hardware, cores that this process may use, memory, GPUs,
/// kernel, limits of control groups, libraries, compiler and flags, git commit, Slurm ids. Unknown values are null.
nlohmann::json describe_environment();

/// Returns the words of the command that started this process.
std::vector<std::string> command_line();

/// Returns the current time: "2026-11-21T08:15:30Z".
std::string utc_now();

/// Returns such a time in seconds since 1970. Throws InputError if it is not one.
std::int64_t seconds_of_utc(const std::string& time);

}  // namespace ddlbench::bench
