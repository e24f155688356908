#pragma once

#include <vector>

#include "bench/config/field.h"
#include "bench/config/problem.h"
#include "json/node.h"

namespace ddlbench::bench {

/// Checks a configuration against the table and appends every problem to `problems`.
void check_config(const json::Node& document, const Field& table, std::vector<json::Problem>& problems);

/// Returns the kind that a node of a `kind` field names: the node itself if it is a string, otherwise its member
/// "kind". Empty if it names none.
std::string kind_named_by(const json::Node& node);

}  // namespace ddlbench::bench
