#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/config/axis_value.h"
#include "bench/config/field.h"
#include "bench/config/zips.h"

namespace ddlbench::bench {

/// A value without lists, and what was chosen from each list in it.
struct Point {
  nlohmann::ordered_json value;
  std::vector<AxisValue> axes;
};

/// Where a value stands: the setting's JSON pointer in an experiment without lists, and that of what was written.
struct Place {
  std::string setting;
  std::string pointer;
};

/// Returns one point for each combination of the values of all lists in a resolved `value` (see resolve()) that `field`
/// declares as sweeps, where `zips` allows it; the last list advances fastest. Lists from which each case chooses, and
/// strategies, are kept.
std::vector<Point> points_of(const nlohmann::ordered_json& value, const Field& field, const Place& at,
                             const Zips& zips);

/// Calls `visit` for each setting directly inside a resolved value.
using VisitMember = std::function<void(const nlohmann::ordered_json& value, const Field& field, const Place& at)>;
void visit_members(const nlohmann::ordered_json& value, const Field& field, const Place& at, const VisitMember& visit);

/// Calls `visit` for each sweep in `value`, whether its value is a list or not.
using VisitSweep = std::function<void(const Place& at, const Field& field, const nlohmann::ordered_json& value)>;
void visit_sweeps(const nlohmann::ordered_json& value, const Field& field, const Place& at, const VisitSweep& visit);

}  // namespace ddlbench::bench
