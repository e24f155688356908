#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/config/field.h"
#include "bench/config/registries.h"
#include "bench/config/zips.h"
#include "json/location.h"
#include "json/problem.h"

namespace ddlbench::bench {

/// The largest number of cases that one run may have.
inline constexpr std::int64_t max_cases = 10000;

/// Throws ConfigError if a resolved configuration has more than `max_cases` cases, before anything is built for them.
/// The error points at the longest list of the configuration. Cases that a rule excludes are counted; the second case
/// of `single`, with another number of threads, is not.
void require_few_cases(const nlohmann::ordered_json& resolved, const Field& table, const Registries& registries,
                       const Zips& zips, const std::map<std::string, json::Location>& locations,
                       const json::Sources& sources);

}  // namespace ddlbench::bench
