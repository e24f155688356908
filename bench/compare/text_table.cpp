#include "bench/compare/text_table.h"

#include <type_traits>
#include <utility>

#include "base/join.h"
#include "base/printable.h"
#include "bench/records/markdown.h"

namespace ddlbench::bench {
namespace {

std::string markdown_row(const std::vector<std::string>& cells) {
  return "| " + joined(cells, " | ") + " |\n";
}

std::string markdown(const std::vector<Grid::Align>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(markdown_cell(printable(cell)));
    text += markdown_row(cells);
    if (&row != &rows.front()) continue;
    std::vector<std::string> marks;
    for (const Grid::Align align : columns) marks.emplace_back(align == Grid::Align::right ? "---:" : "---");
    text += markdown_row(marks);
  }
  return text;
}

}  // namespace

std::string TextTable::format(TableFormat as) const {
  std::vector<bool> shown(columns.size(), false);
  for (std::size_t row = 1; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) shown[i] = shown[i] || !rows[row][i].empty();
  }
  const auto kept = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> some;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (shown[i]) some.push_back(all[i]);
    }
    return some;
  };
  std::vector<std::vector<std::string>> lines;
  for (const auto& row : rows) lines.push_back(kept(row));
  if (as == TableFormat::markdown) return markdown(kept(columns), lines);
  Grid grid(kept(columns));
  for (auto& line : lines) grid.add(std::move(line));
  return grid.text(2);
}

}  // namespace ddlbench::bench
