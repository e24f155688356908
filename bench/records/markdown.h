#pragma once

#include <string>

namespace ddlbench::bench {

/// The text in a cell of a Markdown table: what would end the cell is escaped.
std::string markdown_cell(const std::string& text);

}  // namespace ddlbench::bench
