#include "bench/export/results_json.h"

#include <cmath>
#include <tuple>

#include "../visit_fixtures.h"
#include "bench/records/tables.h"
#include "bench/report/decision.h"
#include "catch.h"
#include "trained_run.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::finished_case;
using ddlbench::test::trained_run;
using Document = nlohmann::ordered_json;

namespace {

/// Three cases that took turns in rounds, with a second copy of the baseline, and one that is not ranked.
RunResults run_in_rounds() {
  Records records;
  records.cases = {finished_case("single", 1, 10, 0.1), finished_case("ddp", 2, 5, 0.1),
                   test::ended_case("tensor", 2, Status::out_of_memory, "needs 2 GiB")};
  test::add_rounds(records.visits, "single-r1", {10.0, 10.1, 9.9, 10.0});
  test::add_rounds(records.visits, "single-r1", {10.1, 10.0, 10.0, 9.9}, true);
  test::add_rounds(records.visits, "ddp-r2", {5.0, 5.1, 4.9, 5.0});
  records.rounds = {{"c0ffee", 0.01, "precision"}};
  return results_of("out", std::move(records));
}

}  // namespace

TEST_CASE("the document has the rows of all tables") {
  const RunResults results = trained_run();
  const Document document = Document::parse(results_json({results}));
  CHECK(document.at("schema_version") == results_json_version);
  const Document& run = document.at("runs").at(0);
  CHECK(run.at("folder") == "out");
  CHECK(run.at("environment").is_null());
  CHECK(run.at("cases").size() == 2);
  CHECK(run.at("cases").at(0) == Table<CaseRow>().object(results.rows[0]));
  CHECK(run.at("cases").at(1).at("status") == "crashed");
  CHECK(run.at("cases").at(1).at("step_seconds").is_null());
  CHECK(run.at("epochs").at(1).at("accuracy_ratio") == 0.5);
  CHECK(run.at("utilisation").size() == 3);
  CHECK(run.at("ranks").empty());
  CHECK(run.at("visits").empty());
}

TEST_CASE("the document has the order, the verdicts and the decision") {
  const RunResults results = run_in_rounds();
  const Document document = Document::parse(results_json({results}));
  const Document& contract = document.at("runs").at(0).at("contracts").at(0);
  CHECK(contract.at("contract_id") == "c0ffee");
  CHECK(contract.at("decision") == decide(results.rankings[0]));
  CHECK(contract.at("ranked").at(0) == Document{{"case_id", "ddp-r2"}, {"rank", 1}, {"letters", "a"}});
  CHECK(contract.at("ranked").at(1).at("case_id") == "single-r1");
  CHECK(contract.at("not_ranked").at(0) ==
        Document{{"case_id", "tensor-r2"}, {"reason", "out_of_memory: needs 2 GiB"}});
  CHECK(contract.at("margin_ratio") == results.rankings[0].verdicts->margin());
  CHECK(contract.at("control_low_ratio") <= contract.at("control_ratio"));
  CHECK(contract.at("control_ratio") <= contract.at("control_high_ratio"));
  REQUIRE(contract.at("pairs").size() == 1);
  const Document& pair = contract.at("pairs").at(0);
  CHECK(pair.at("case_id") == "ddp-r2");
  CHECK(pair.at("other_case_id") == "single-r1");
  CHECK(pair.at("verdict") == "faster");
  CHECK(pair.at("speedup_ratio") == results.rankings[0].verdicts->ratio("ddp-r2", "single-r1")->value);
  CHECK(pair.at("speedup_low_ratio") > 1.5);
}

TEST_CASE("without rounds there are no pairs, and what is unknown is null") {
  const Document document = Document::parse(results_json({trained_run()}));
  const Document& contract = document.at("runs").at(0).at("contracts").at(0);
  CHECK(contract.at("pairs").empty());
  CHECK(contract.at("margin_ratio").is_null());
  CHECK(contract.at("control_ratio").is_null());
}

TEST_CASE("the document has warnings without their prefix") {
  Records records;
  records.cases = {finished_case("single", 1, 10, 0.1)};
  records.cases[0].measurement->budget.input = 8e-3;
  const Document document = Document::parse(results_json({results_of("out", std::move(records))}));
  const Document& warnings = document.at("runs").at(0).at("contracts").at(0).at("warnings");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.at(0).get<std::string>().starts_with("single-r1 waits for input for 80"));
}

TEST_CASE("the document has estimates over the seeds") {
  Records records;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const auto& [strategy, ranks, milliseconds] : {std::tuple("single", 1, 2.0), std::tuple("ddp", 2, 1.0)}) {
      CaseRecord record = finished_case(strategy, ranks, milliseconds, 0.01);
      record.seed = seed;
      record.case_id += "-seed" + std::to_string(seed);
      record.contract_id = "contract-" + std::to_string(seed);
      record.replicate_id = "replicate";
      records.cases.push_back(record);
    }
  }
  const Document document = Document::parse(results_json({results_of("out", std::move(records))}));
  const Document& table = document.at("runs").at(0).at("seeds").at(0);
  CHECK(table.at("replicate_id") == "replicate");
  CHECK(table.at("seeds") == Document{1, 2});
  CHECK(table.at("lines").at(0).at("is_baseline") == true);
  const Document& ddp = table.at("lines").at(1);
  CHECK(ddp.at("strategy") == "ddp");
  CHECK(ddp.at("conditions").is_null());
  CHECK(std::abs(ddp.at("speedup_ratio").get<double>() - 2) < 1e-9);
  CHECK(ddp.at("accuracy_ratio") == 0.875);
  CHECK(ddp.at("reached_target").is_null());
  CHECK(ddp.at("seconds_to_target").is_null());
}

TEST_CASE("the document is ASCII, whatever the results contain") {
  RunResults results = trained_run("\x7f\u202e\u00e9");
  results.notes = {"not \xff UTF-8"};
  const std::string text = results_json({results});
  for (const char c : text) CHECK((c == '\n' || (c >= 0x20 && c < 0x7f)));
  CHECK(Document::parse(text).at("runs").at(0).at("folder") == "\x7f\u202e\u00e9");
}

TEST_CASE("several runs, or one without cases, are a document, too") {
  CHECK(Document::parse(results_json({trained_run("a"), trained_run("b")})).at("runs").size() == 2);
  const Document empty = Document::parse(results_json({results_of("out", {})}));
  CHECK(empty.at("runs").at(0).at("contracts").empty());
  CHECK(empty.at("runs").at(0).at("cases").empty());
}
