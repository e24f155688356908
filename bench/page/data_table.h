#pragma once

#include <string>
#include <vector>

#include "bench/page/html.h"

namespace ddlbench::bench {

struct TableColumn {
  std::string title;                                         ///< with the unit
  std::string column = {};                                   ///< of the CSV file whose cells it shows; empty: none
  enum class Kind { word, number, text } kind = Kind::word;  ///< numbers are aligned to the right, texts have lines
};

struct TableCell {
  std::string text;
  std::string value = {};  ///< the cell of the CSV file, by which the table is sorted; empty: the text
};

struct TableRow {
  std::vector<TableCell> cells;
  bool quiet = false;  ///< shown in grey
};

/// Returns a table whose first column names the rows. A reader with JavaScript can sort and filter it. On a narrow
/// screen it scrolls on its own.
Html data_table(const std::string& caption, const std::vector<TableColumn>& columns, const std::vector<TableRow>& rows);

/// Returns a table of names and values.
Html fact_table(const std::string& caption, const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace ddlbench::bench
