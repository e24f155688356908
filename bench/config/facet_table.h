#pragma once

#include <string>

namespace ddlbench::bench {

/// Markdown: a row for each setting of a facet, a column for each strategy; a cell has the default, or in brackets what
/// the strategy has fixed it to.
std::string facet_table();

}  // namespace ddlbench::bench
