#pragma once

#include <string>
#include <vector>

#include "bench/config/field.h"
#include "bench/config/problem.h"
#include "json/node.h"

namespace ddlbench::bench {

/// Applies a `--set` argument, "/pointer=value", to the document. A value that is not JSON is taken as a string.
/// Missing objects on the way are created, a bare name of a strategy or model becomes an object, and "-" appends to a
/// list. Whether such a setting exists is left to check_config. All new nodes are located in source `number`; the first
/// `--set` is 1. Appends problems of the argument itself to `problems`.
void apply_override(json::Node& document, const Field& table, const std::string& argument, int number,
                    std::vector<json::Problem>& problems);

}  // namespace ddlbench::bench
