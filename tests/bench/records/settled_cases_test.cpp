#include <filesystem>
#include <fstream>

#include "../record_fixtures.h"
#include "base/error.h"
#include "bench/records/file.h"
#include "bench/records/store.h"
#include "catch.h"
#include "failure.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;
using ddlbench::test::ended_case;
using ddlbench::test::finished_case;
using ddlbench::test::TemporaryFolder;

namespace {

std::string tables_of(const std::string& folder) {
  return read_file(folder + "/cases.csv") + read_file(folder + "/epochs.csv") + read_file(folder + "/visits.csv");
}

/// Returns the tables of all records that the journal has.
std::string rebuilt_tables(const std::string& folder) {
  TemporaryFolder again;
  const Records all = read_records(folder);
  TableFiles(again.path()).replace(all, all);
  return tables_of(again.path());
}

CaseRecord case_of(const std::string& contract, const std::string& strategy, int ranks) {
  CaseRecord record = finished_case(strategy, ranks, 4.0 / ranks, 0.1);
  record.contract_id = contract;
  record.case_id += " of " + contract;
  return record;
}

void add_visits(RecordStore& store, const std::vector<CaseRecord>& cases) {
  for (int round = 1; round <= 2; ++round)
    for (const CaseRecord& record : cases) {
      VisitRecord visit;
      visit.case_id = record.case_id;
      visit.round = round;
      visit.step_seconds = 0.01 * round;
      visit.budget.forward = visit.step_seconds;
      store.add(visit);
    }
}

void store_rounds(RecordStore& store, const std::string& contract) {
  RoundsRecord rounds;
  rounds.contract_id = contract;
  store.add(rounds);
}

}  // namespace

TEST_CASE("settled contracts leave the memory, and the tables are those of all records") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  std::vector<PlannedCase> plan;
  const auto name_of = [](int contract) { return "contract " + std::to_string(contract); };
  const auto cases_of = [&](int contract) {  // the baseline ends last, and changes the rows of the others
    return std::vector<CaseRecord>{case_of(name_of(contract), "ddp", 2), case_of(name_of(contract), "ddp", 4),
                                   case_of(name_of(contract), "single", 1)};
  };
  for (int contract = 0; contract < 6; ++contract)
    for (const CaseRecord& record : cases_of(contract)) plan.push_back({record.case_id, record.contract_id, 1, 2});
  store.plan(plan, {false, true, ""});
  for (int contract = 0; contract < 6; ++contract) {
    for (const CaseRecord& record : cases_of(contract)) {
      store.begin_case(record.case_id);
      store.add(record);
      store.update_tables();
    }
    if (contract == 3) std::ofstream(folder + "/cases.csv") << "somebody's";
    add_visits(store, cases_of(contract));
    if (contract == 4) store.update_tables();
    store_rounds(store, name_of(contract));
    store.settle({name_of(contract)});
    if (contract == 1) continue;  // settled together with the next one
    store.update_tables();
    CHECK(store.records().cases.empty());
    CHECK(store.records().visits.empty());
    CHECK(store.records().rounds.empty());
  }
  CHECK(read_records(folder).cases.size() == plan.size());
  CHECK(tables_of(folder) == rebuilt_tables(folder));
  const std::string journal = read_file(folder + "/journal.jsonl");
  CHECK_THROWS_AS(store.begin_case(plan.front().case_id), ddlbench::ContractError);
  CHECK(read_file(folder + "/journal.jsonl") == journal);
}

TEST_CASE("a settled contract stays in memory while cases of another one come before its cases") {
  TemporaryFolder temporary;
  RecordStore store(create_output_folder(temporary / "run", "fixture"), "{}\n");
  const auto add = [&store](const std::string& strategy, const std::string& contract) {
    CaseRecord record = finished_case(strategy, 1, 4, 0.1);
    record.contract_id = contract;
    store.add(record);
  };
  store.plan({{"a-r1", "first", 1, 1}, {"b-r1", "second", 1, 1}, {"c-r1", "first", 1, 1}}, {});
  add("a", "first");
  add("b", "second");
  add("c", "first");
  store.settle({"second"});
  store.update_tables();
  CHECK(store.records().cases.size() == 3);
  store.settle({"first"});
  store.update_tables();
  CHECK(store.records().cases.empty());
}

TEST_CASE("tables are right after a case starts again, or comes before others, though earlier contracts are settled") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  const CaseRecord first = case_of("first", "single", 1), second = case_of("second", "single", 1),
                   third = case_of("second", "ddp", 2);
  store.plan({{first.case_id, "first", 1, 1}, {second.case_id, "second", 1, 1}, {third.case_id, "second", 1, 2}},
             {false, true, ""});
  const auto run = [&store](const CaseRecord& record) {
    store.begin_case(record.case_id);
    EpochRecord epoch;
    epoch.case_id = record.case_id;
    store.add(epoch);
    store.add(record);
    store.update_tables();
  };
  run(first);
  add_visits(store, {first});
  store_rounds(store, "first");
  store.settle({"first"});
  store.update_tables();
  REQUIRE(store.records().cases.empty());
  run(third);
  run(second);  // before the third one
  CHECK(tables_of(folder) == rebuilt_tables(folder));
  run(second);  // again
  CHECK(tables_of(folder) == rebuilt_tables(folder));
  add_visits(store, {second, third});
  store_rounds(store, "second");
  store.update_tables();
  CHECK(tables_of(folder) == rebuilt_tables(folder));
  CHECK(store.read_all().cases.size() == 3);
}

TEST_CASE("a case that was kept under another contract settles with the contract of the plan") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  CaseRecord kept = case_of("changed", "ddp", 2);
  kept.contract_id = "as it was";
  const CaseRecord repeated = case_of("changed", "single", 1), next = case_of("next", "single", 1);
  store.add(kept);
  store.plan({{repeated.case_id, "changed", 1, 1}, {kept.case_id, "changed", 1, 2}, {next.case_id, "next", 1, 1}},
             {false, true, ""});
  store.add(repeated);
  add_visits(store, {repeated, kept});
  store_rounds(store, "changed");
  store.settle({"changed"});
  store.update_tables();
  CHECK(store.records().cases.empty());
  store.add(next);
  add_visits(store, {next});
  store_rounds(store, "next");
  store.update_tables();
  CHECK(tables_of(folder) == rebuilt_tables(folder));
}

TEST_CASE("all records can be read after the folder was removed, and not if the journal was emptied") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  const CaseRecord first = case_of("first", "single", 1), second = case_of("second", "single", 1);
  store.plan({{first.case_id, "first", 1, 1}, {second.case_id, "second", 1, 1}}, {});
  store.add(first);
  EpochRecord epoch;
  epoch.case_id = first.case_id;
  store.add(epoch);
  store.settle({"first"});
  store.update_tables();
  store.add(second);
  std::filesystem::rename(folder, temporary / "elsewhere");
  CHECK(store.read_all().cases.size() == 2);
  CHECK(store.read_all().epochs.size() == 1);
  CHECK(store.read_all(RecordStore::Rows::left_out).epochs.empty());
  std::filesystem::resize_file(temporary / "elsewhere/journal.jsonl", 0);
  CHECK(ddlbench::test::failure_of([&] { store.read_all(); }) ==
        folder + "/journal.jsonl: was changed by another program during the run");
}
