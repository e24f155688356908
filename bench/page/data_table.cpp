#include "bench/page/data_table.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::bench {
namespace {

std::string class_of(const TableColumn& column) {
  switch (column.kind) {
    case TableColumn::Kind::number:
      return "number";
    case TableColumn::Kind::text:
      return "text";
    case TableColumn::Kind::word:
      break;
  }
  return "word";
}

Html header_cell(const TableColumn& column) {
  Attributes attributes{{"scope", "col"}, {"class", class_of(column)}};
  if (!column.column.empty()) attributes.push_back({"data-column", column.column});
  return element("th", attributes, html_text(column.title));
}

Html body_cell(const TableCell& cell, const TableColumn& column, bool is_name) {
  Attributes attributes;
  if (is_name) attributes.push_back({"scope", "row"});
  if (column.kind != TableColumn::Kind::word) attributes.push_back({"class", class_of(column)});
  if (!cell.value.empty()) attributes.push_back({"data-value", cell.value});
  return is_name ? element("th", attributes, html_text(cell.text)) : element("td", attributes, html_text(cell.text));
}

/// The span stays in sight while the reader scrolls a wide table.
Html table_caption(const std::string& text) {
  return element("caption", element("span", html_text(text)));
}

/// Keyboards can scroll what can have the focus.
Html scrollable(const std::string& name, const Html& content) {
  return element("div", {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", name}}, content);
}

}  // namespace

Html data_table(const std::string& caption, const std::vector<TableColumn>& columns,
                const std::vector<TableRow>& rows) {
  Html head, body;
  for (const TableColumn& column : columns) head += header_cell(column);
  for (const TableRow& row : rows) {
    require(row.cells.size() == columns.size(), "a table's row needs one cell for each column");
    Html cells;
    for (std::size_t i = 0; i < columns.size(); ++i) cells += body_cell(row.cells[i], columns[i], i == 0);
    body += row.quiet ? element("tr", {{"class", "quiet"}}, cells) : element("tr", cells);
  }
  return scrollable(caption,
                    element("table", {{"class", "data"}},
                            table_caption(caption) + element("thead", element("tr", head)) + element("tbody", body)));
}

/// Returns a name that a browser may break after each point and underscore.
static Html breakable(const std::string& name) {
  Html html;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of("._", begin), name.size() - 1) + 1;
    html += html_text(name.substr(begin, end - begin));
    if (end < name.size()) html += Literal("<wbr>");
    begin = end;
  }
  return html;
}

Html fact_table(const std::string& caption, const std::vector<std::pair<std::string, std::string>>& facts) {
  Html body;
  for (const auto& [name, value] : facts) {
    body += element("tr", element("th", {{"scope", "row"}}, breakable(name)) + element("td", html_text(value)));
  }
  return element("table", {{"class", "facts"}}, table_caption(caption) + element("tbody", body));
}

}  // namespace ddlbench::bench
