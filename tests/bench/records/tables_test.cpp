#include "bench/records/tables.h"

#include <fstream>
#include <sstream>

#include "../config/source_root.h"
#include "../record_fixtures.h"
#include "catch.h"

using namespace ddlbench::bench;
using ddlbench::test::finished_case;

namespace {

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

/// Returns the cell of a row in a column. The line must have no quotes.
std::string cell_of(const Table<CaseRow>& table, const CaseRow& row, const std::string& column) {
  const auto names = split(table.header(), ','), cells = split(table.line(row), ',');
  REQUIRE(names.size() == cells.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == column) return cells[i];
  }
  FAIL("no column " + column);
  return "";
}

}  // namespace

TEST_CASE("docs/results.md has the columns that `ddlbench schema --columns` prints") {
  std::ostringstream page;
  page << std::ifstream(source_root() / "docs/results.md").rdbuf();
  CHECK(page.str().ends_with("\n## Every column\n\n" + describe_tables()));
}

TEST_CASE("every column has a description and a unique name") {
  std::set<std::string> names;
  for (const ColumnText& column : Table<CaseRow>::columns()) {
    INFO(column.name);
    CHECK_FALSE(column.meaning.empty());
    CHECK(names.insert(column.name).second);
  }
}

TEST_CASE("a nested record gives columns to its table, or empty cells") {
  const Table<CaseRow> table;
  CaseRow row{finished_case("ddp", 2, 8, 0.1), {}};
  row.record.measurement->budget.bubble = 0.25;
  CHECK(cell_of(table, row, "budget_bubble_seconds") == "0.25");
  CHECK(cell_of(table, row, "loader_bytes") == "1048576");
  CHECK(cell_of(table, row, "predicted_step_seconds") == "");
  CHECK(cell_of(table, row, "predicted_budget_bubble_seconds") == "");
  PredictionRecord& prediction = row.record.measurement->prediction.emplace();
  prediction.step_seconds = 0.5;
  prediction.budget.bubble = 0.125;
  CHECK(cell_of(table, row, "predicted_step_seconds") == "0.5");
  CHECK(cell_of(table, row, "predicted_budget_bubble_seconds") == "0.125");
}

TEST_CASE("what was not timed or trained is empty, and what was zero is 0") {
  const Table<CaseRow> table;
  CaseRow row{finished_case("ddp", 2, 8, 0.1), {}};
  CHECK(cell_of(table, row, "repetitions") == "1");
  CHECK(cell_of(table, row, "sent_bytes_per_rank_per_step") == "0");
  CHECK(cell_of(table, row, "final_train_loss") == "0");
  CHECK(cell_of(table, row, "devices_shared") == "");
  row.record.measurement->devices = 1;
  row.record.measurement->repetitions = 0;
  row.record.measurement->epoch_seconds_source = "";
  CHECK(cell_of(table, row, "repetitions") == "");
  CHECK(cell_of(table, row, "sent_bytes_per_rank_per_step") == "");
  CHECK(cell_of(table, row, "final_train_loss") == "");
  CHECK(cell_of(table, row, "devices_shared") == "false");
  CHECK(cell_of(table, row, "certified") == "true");
  row.record.measurement.reset();
  CHECK(cell_of(table, row, "certified") == "");
  CHECK(cell_of(table, row, "status") == "ok");
}

TEST_CASE("counts have a column for each name, whichever row it occurs in") {
  Table<RankRecord> table;
  RankRecord packed, statistics;
  packed.peak_bytes = {{"packed", 7}, {"parameters", 1}};
  statistics.peak_bytes = {{"inputs", 3}};
  statistics.sent_bytes = {{"gather", 5}};
  CHECK(table.add_columns(packed));
  CHECK_FALSE(table.add_columns(packed));
  CHECK(table.add_columns(statistics));
  CHECK(table.header().find("peak_communication_bytes,peak_inputs_bytes,peak_packed_bytes,sent_all_reduce_") !=
        std::string::npos);
  CHECK(table.line(packed) == ",0,,0,0,0,0,0,0,0,0,0,1,,,,,,,7,,,,,,,,,,,,,\r\n");
  CHECK(table.line(statistics) == ",0,,0,0,0,0,0,0,0,0,0,,,,,,,3,,,,,,,,5,,,,,,\r\n");
}
