#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/field.h"
#include "bench/config/problem.h"
#include "bench/config/zips.h"

namespace ddlbench::bench {

/// Cases with all these values are left out, or are expected to have a status.
struct SweepRule {
  std::string pointer;  ///< "/sweep/exclude/0"
  std::string expect;   ///< a status; empty: the cases are left out
  /// JSON pointers of settings (see AxisValue), and the JSON text of a value or a list of them.
  std::vector<std::pair<std::string, std::string>> conditions;
};

/// The section `sweep` of a configuration, with names of settings replaced by their JSON pointers.
struct Sweep {
  Zips zips;
  std::vector<SweepRule> rules;
};

/// Reads the section `sweep` of a resolved configuration. Appends a problem for each name that is not the name of a
/// setting, for each setting of `zip` without a list, and for lists of different lengths.
Sweep sweep_of(const nlohmann::ordered_json& resolved, const Field& table,
               const std::map<std::string, json::Location>& locations, std::vector<json::Problem>& problems);

}  // namespace ddlbench::bench
