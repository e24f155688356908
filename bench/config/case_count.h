#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/config/registries.h"
#include "json/location.h"
#include "json/problem.h"

namespace ddlbench::bench {

/// The largest number of cases that one run may have.
inline constexpr std::int64_t max_cases = 10000;

/// Throws ConfigError if a resolved configuration has more than `max_cases` cases, before anything is built for them.
/// The error points at the longest list of the configuration. The second case of `single`, with another number of
/// threads, is not counted.
void require_few_cases(const nlohmann::ordered_json& resolved, const Registries& registries,
                       const std::map<std::string, json::Location>& locations, const json::Sources& sources);

}  // namespace ddlbench::bench
