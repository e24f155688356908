#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::bench {

/// Returns the text of a cell, before quoting. Numbers have the shortest form that reads back as the same value.
/// Infinities and NaN are "inf", "-inf" and "nan".
std::string cell(double value);
std::string cell(bool value);  ///< "true", "false"
std::string cell(std::string_view value);
template <std::integral T>
std::string cell(T value) {
  return std::to_string(value);
}
inline std::string cell(const std::string& value) {
  return value;
}
template <class T>
std::string cell(const std::optional<T>& value) {
  return value ? cell(*value) : std::string();
}

/// Returns the cells as one RFC 4180 record, which ends in CR LF. Cells with a comma, a quote or a line break are
/// quoted.
std::string csv_line(const std::vector<std::string>& cells);

/// A column of a table: its name in the header, and the function that returns the cell of a row.
template <class Row>
struct Column {
  std::string name;
  std::string (*cell)(const Row& row);
};

template <class Row>
std::string csv_table(const std::vector<Column<Row>>& columns, const std::vector<Row>& rows) {
  std::vector<std::string> cells;
  for (const auto& column : columns) cells.push_back(column.name);
  std::string text = csv_line(cells);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) cells[i] = columns[i].cell(row);
    text += csv_line(cells);
  }
  return text;
}

}  // namespace ddlbench::bench
