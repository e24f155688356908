#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/report/grid.h"

namespace ddlbench::bench {

enum class TableFormat : std::uint8_t {
  text,      ///< aligned columns, as Grid
  markdown,  ///< a table of GitHub's Markdown
};

/// A table whose first row is its header.
struct TextTable {
  std::vector<Grid::Align> columns;
  std::vector<std::vector<std::string>> rows;

  /// Returns the table, in text indented by two blanks. Columns in which all cells but the header are empty are left
  /// out.
  std::string format(TableFormat as) const;
};

}  // namespace ddlbench::bench
