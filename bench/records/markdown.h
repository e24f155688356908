#pragma once

#include <string>

namespace ddlbench::bench {

/// Escapes a text for a cell of a Markdown table.
std::string markdown_cell(const std::string& text);

}  // namespace ddlbench::bench
