#include "bench/records/table_schema.h"

#include <algorithm>
#include <cmath>

#include "../record_fixtures.h"
#include "bench/records/tables.h"
#include "catch.h"

using namespace ddlbench::bench;
using ddlbench::test::finished_case;
using TablesSchema = nlohmann::ordered_json;

TEST_CASE("the unit of a column is in its name") {
  CHECK(unit_in("step_seconds") == "seconds");
  CHECK(unit_in("step_seconds_low") == "seconds");
  CHECK(unit_in("seconds_to_target") == "seconds");
  CHECK(unit_in("peak_*_bytes") == "bytes");
  CHECK(unit_in("gpu_power_watts") == "watts");
  CHECK(unit_in("speedup_low_ratio") == "ratio");
  CHECK(unit_in("samples_per_second") == "samples/second");
  CHECK(unit_in("sent_bytes_per_rank_per_step") == "bytes/rank/step");
  CHECK(unit_in("final_train_loss").empty());
  CHECK(unit_in("per_step").empty());
}

TEST_CASE("the schema describes each column of each table, in order") {
  const TablesSchema schema = results_schema();
  CHECK(schema.at("schema_version") == schema_version);
  std::vector<std::string> files;
  for (const TablesSchema& table : schema.at("tables")) files.push_back(table.at("file"));
  CHECK(files == std::vector<std::string>{"cases.csv", "epochs.csv", "validations.csv", "ranks.csv", "utilisation.csv",
                                          "visits.csv"});
  const TablesSchema& columns = schema.at("tables").at(0).at("columns");
  REQUIRE(columns.size() == Table<CaseRow>::columns().size());
  CHECK(columns.at(0).at("name") == "schema_version");
  for (const TablesSchema& column : columns) {
    INFO(column.dump());
    CHECK_FALSE(column.at("meaning").get<std::string>().empty());
    if (column.at("name") == "step_seconds") {
      CHECK(column.at("type") == "number");
      CHECK(column.at("unit") == "seconds");
      CHECK(column.at("nullable") == true);
      CHECK(column.at("empty_where") == "no step was timed");
    }
    if (column.at("name") == "case_id") {
      CHECK(column.at("type") == "string");
      CHECK(column.at("unit") == nullptr);
      CHECK(column.at("nullable") == false);
      CHECK(column.at("empty_where") == nullptr);
    }
    if (column.at("name") == "oversubscribed") CHECK(column.at("type") == "boolean");
    if (column.at("name") == "seed") CHECK(column.at("type") == "integer");
  }
}

TEST_CASE("a column whose name is not known in advance is a pattern behind those that are") {
  const TablesSchema schema = results_schema();
  const TablesSchema& tables = schema.at("tables");
  const auto ranks = std::find_if(tables.begin(), tables.end(),
                                  [](const TablesSchema& table) { return table.at("file") == "ranks.csv"; });
  REQUIRE(ranks != tables.end());
  const TablesSchema& columns = ranks->at("columns");
  const auto pattern =
      std::find_if(columns.begin(), columns.end(), [](const TablesSchema& c) { return c.contains("name_pattern"); });
  REQUIRE(pattern != columns.end());
  CHECK(pattern->at("name_pattern") == "peak_*_bytes");
  CHECK((pattern - 1)->at("name") == "peak_communication_bytes");
}

TEST_CASE("an object of a row has the columns in order, with null for what is empty or not finite") {
  const Table<CaseRow> table;
  CaseRow row{finished_case("ddp", 2, 8, 0.1), {}};
  row.record.measurement->final_train_loss = NAN;
  row.record.measurement->final_validation_loss = INFINITY;
  const TablesSchema object = table.object(row);
  std::string names;
  for (const auto& [name, value] : object.items()) names += (names.empty() ? "" : ",") + name;
  CHECK(names + "\r\n" == table.header());
  CHECK(object.at("step_seconds") == 8e-3);
  CHECK(object.at("ranks") == 2);
  CHECK(object.at("status") == "ok");
  CHECK(object.at("oversubscribed") == false);
  CHECK(object.at("loader_bytes") == 1 << 20);
  for (const char* empty : {"final_train_loss", "final_validation_loss", "status_reason", "predicted_step_seconds",
                            "speedup_ratio", "replicate_id", "devices_shared"}) {
    INFO(empty);
    CHECK(object.at(empty).is_null());
  }
}

TEST_CASE("an object of a row has all counts of its table") {
  Table<RankRecord> table;
  RankRecord packed, other;
  packed.peak_bytes = {{"packed", 7}};
  other.peak_bytes = {{"parameters", 1}};
  table.add_columns(packed);
  table.add_columns(other);
  CHECK(table.object(packed).at("peak_packed_bytes") == 7);
  CHECK(table.object(other).at("peak_packed_bytes").is_null());
  CHECK(table.object(other).at("peak_parameters_bytes") == 1);
}
