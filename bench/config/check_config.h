#pragma once

#include <vector>

#include "bench/config/field.h"
#include "bench/config/problem.h"
#include "json/node.h"

namespace ddlbench::bench {

/// Holds a configuration against the table and appends everything that is wrong with it.
void check_config(const json::Node& document, const Field& table, std::vector<json::Problem>& problems);

/// The kind that a node of a `kind` field names: itself where it is a string, else its "kind". Empty where
/// it names none.
std::string kind_named_by(const json::Node& node);

}  // namespace ddlbench::bench
