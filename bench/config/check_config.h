#pragma once

#include <vector>

#include "bench/config/field.h"
#include "bench/config/json_tree.h"
#include "bench/config/problem.h"

namespace ddlbench::bench {

/// Holds a configuration against the table and appends everything that is wrong with it.
void check_config(const JsonNode& document, const Field& table, std::vector<Problem>& problems);

/// The kind that a node of a `kind` field names: itself where it is a string, else its "kind". Empty where
/// it names none.
std::string kind_named_by(const JsonNode& node);

}  // namespace ddlbench::bench
