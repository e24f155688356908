#pragma once

#include <string>

namespace ddlbench::bench {

/// Returns a Markdown table with a row for each setting of a facet and a column for each strategy. A cell has the
/// default, or in parentheses the value that the strategy fixes.
std::string facet_table();

}  // namespace ddlbench::bench
