#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/config/registries.h"
#include "json/location.h"

namespace ddlbench::bench {

/// That a run may have.
inline constexpr std::int64_t most_cases = 10000;

/// Throws ConfigError at its longest list where a resolved configuration has more than most_cases cases, before
/// anything is made for each of them. `single` on one more number of threads is not counted.
void require_few_cases(const nlohmann::ordered_json& resolved, const Registries& registries,
                       const std::map<std::string, json::Location>& locations, const std::string& file);

}  // namespace ddlbench::bench
