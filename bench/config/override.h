#pragma once

#include <string>
#include <vector>

#include "bench/config/field.h"
#include "bench/config/problem.h"
#include "json/node.h"

namespace ddlbench::bench {

/// Puts the value of `argument`, "/pointer=value", into the document. A value that is not JSON is a string.
/// What the pointer passes through is made where it is missing, a strategy's or model's bare name becomes an
/// object, and "-" appends to a list. Whether such a setting exists is for check_config to say: everything new
/// stands at source `number`, the first --set being 1.
void apply_override(json::Node& document, const Field& table, const std::string& argument, int number,
                    std::vector<json::Problem>& problems);

}  // namespace ddlbench::bench
