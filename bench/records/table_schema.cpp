#include "bench/records/table_schema.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "bench/records/tables.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('_', begin), name.size());
    words.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json describe(const ColumnText& column, const char* key, const std::string& name) {
  const bool is_quantity = column.type == "integer" || column.type == "number";
  return {{key, name},
          {"type", column.type},
          {"unit", text_or_null(is_quantity ? unit_in(name) : "")},
          {"nullable", column.nullable},
          {"meaning", column.meaning},
          {"empty_where", text_or_null(column.empty_where)}};
}

template <class Row>
Json describe_table() {
  Json columns = Json::array();
  for (const ColumnText& column : Table<Row>::columns()) {
    for (const std::string& name : column.counted)
      columns.push_back(describe(column, "name", in_pattern(column.name, name)));
    columns.push_back(describe(column, column.is_counts ? "name_pattern" : "name", column.name));
  }
  return {{"file", Table<Row>::file()}, {"columns", std::move(columns)}};
}

}  // namespace

std::string unit_in(std::string_view column) {
  constexpr std::array units{"seconds", "bytes", "ratio", "watts"};
  const std::vector<std::string_view> words = words_of(column);
  const auto per = std::find(words.begin(), words.end(), "per");
  const auto named = std::find_first_of(words.begin(), words.end(), units.begin(), units.end());
  if (per == words.begin() || per == words.end()) return named == words.end() ? "" : std::string(*named);
  std::string unit(*(per - 1));
  for (auto at = per; at + 1 < words.end() && *at == "per"; at += 2) unit += "/" + std::string(*(at + 1));
  return unit;
}

nlohmann::ordered_json results_schema() {
  return {{"schema_version", schema_version},
          {"tables",
           {describe_table<CaseRow>(), describe_table<EpochRecord>(), describe_table<ValidationRecord>(),
            describe_table<RankRecord>(), describe_table<UtilisationRecord>(), describe_table<VisitRecord>()}}};
}

}  // namespace ddlbench::bench
