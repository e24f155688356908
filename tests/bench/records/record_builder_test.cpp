#include "bench/records/record_builder.h"

#include "base/error.h"
#include "bench/records/record_json.h"
#include "catch.h"
#include "failure.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Writes entries as a run would.
class BuiltRun {
 public:
  BuiltRun() {
    nlohmann::json cases = nlohmann::json::array();
    for (const char* id : {"1-a", "2-b", "3-c"}) cases.push_back({id, id == std::string("3-c") ? "other" : "first"});
    builder.add({"plan", {{"cases", cases}, {"certificates_only", false}}});
  }
  void start(const std::string& id, std::int64_t resumed_step = 0) {
    builder.add(
        {"case_started", {{"case_id", id}, {"time_utc", "2026-11-21T08:15:30Z"}, {"resumed_step", resumed_step}}});
  }
  void end(const std::string& id, Status status = Status::ok) {
    CaseRecord record;
    record.case_id = id;
    record.status = status;
    builder.add({"case", to_json(record)});
  }
  void epoch(const std::string& id, int number) {
    EpochRecord record;
    record.case_id = id;
    record.epoch = number;
    record.step = 10 * number;
    builder.add({"epoch", to_json(record)});
  }
  void visit(const std::string& id) {
    VisitRecord record;
    record.case_id = id;
    builder.add({"visit", to_json(record)});
  }
  void end_rounds(const std::string& contract) { builder.add({"rounds", to_json(RoundsRecord{contract, 0.01, "x"})}); }

  bool reordered() {
    const RecordBuilder::Reordered found = builder.take_reordered();
    return found.cases || found.rows;
  }
  std::string cases() const {
    std::string text;
    for (const CaseRecord& record : builder.records().cases)
      text += record.case_id + " " + std::string(name(record.status)) + ";";
    return text;
  }
  std::string epochs() const {
    std::string text;
    for (const EpochRecord& record : builder.records().epochs)
      text += record.case_id + " " + std::to_string(record.epoch) + ";";
    return text;
  }

  RecordBuilder builder;
};

}  // namespace

TEST_CASE("records follow the plan, in whatever order the cases ended") {
  BuiltRun run;
  run.start("1-a");
  run.end("1-a");
  run.start("3-c");
  run.epoch("3-c", 1);
  run.end("3-c");
  CHECK_FALSE(run.reordered());
  run.start("2-b");
  run.epoch("2-b", 1);
  CHECK(run.builder.take_reordered().rows);
  run.end("2-b");
  CHECK(run.builder.take_reordered().cases);
  CHECK_FALSE(run.reordered());
  CHECK(run.cases() == "1-a ok;2-b ok;3-c ok;");
  CHECK(run.epochs() == "2-b 1;3-c 1;");
}

TEST_CASE("a further attempt of a case replaces the records of the earlier one") {
  BuiltRun run;
  run.start("1-a");
  run.epoch("1-a", 1);
  run.epoch("1-a", 2);
  run.end("1-a", Status::lost_rank);
  run.start("1-a");
  CHECK(run.cases().empty());
  CHECK(run.epochs().empty());
  run.epoch("1-a", 1);
  run.end("1-a");
  CHECK(run.cases() == "1-a ok;");
  CHECK(run.epochs() == "1-a 1;");
  REQUIRE(run.builder.records().started.size() == 1);
  CHECK(run.builder.records().started[0].attempts == 2);
}

TEST_CASE("epochs before the step from which a training continues are kept") {
  BuiltRun run;
  run.start("1-a");
  for (const int epoch : {1, 2, 3}) run.epoch("1-a", epoch);
  run.start("1-a", 25);
  CHECK(run.epochs() == "1-a 1;1-a 2;");
  run.start("1-a", 20);  // the validation after step 20 is repeated
  CHECK(run.epochs() == "1-a 1;");
}

TEST_CASE("a case that was skipped and then runs has one record") {
  BuiltRun run;
  run.end("1-a", Status::skipped);
  run.start("1-a");
  run.end("1-a");
  CHECK(run.cases() == "1-a ok;");
}

TEST_CASE("a further attempt, and rounds that start again, replace the visits of their contract alone") {
  BuiltRun run;
  for (const char* id : {"1-a", "2-b", "3-c"}) {
    run.start(id);
    run.end(id);
    run.visit(id);
  }
  run.end_rounds("first");
  run.end_rounds("other");
  SECTION("an attempt") {
    run.start("2-b");
  }
  SECTION("rounds") {
    run.builder.add({"rounds_started", {{"contract_id", "first"}}});
  }
  const Records& records = run.builder.records();
  REQUIRE(records.visits.size() == 1);
  CHECK(records.visits[0].case_id == "3-c");
  REQUIRE(records.rounds.size() == 1);
  CHECK(records.rounds[0].contract_id == "other");
}

TEST_CASE("forgotten rows are not kept, and it is told when later ones come before them") {
  BuiltRun run;
  run.start("1-a");
  run.epoch("1-a", 1);
  run.builder.forget_rows();
  CHECK(run.epochs().empty());
  run.start("3-c");
  run.epoch("3-c", 1);
  CHECK(run.epochs() == "3-c 1;");
  CHECK_FALSE(run.reordered());
  run.builder.forget_rows();
  run.builder.forget_rows();
  SECTION("of an earlier case") {
    run.start("2-b");
    CHECK_FALSE(run.reordered());
    run.epoch("2-b", 1);
    CHECK(run.builder.take_reordered().rows);
  }
  SECTION("of a further attempt") {
    run.start("3-c");
    CHECK(run.builder.take_reordered().rows);
  }
  SECTION("but not of a case without rows") {
    run.end("3-c");
    run.reordered();
    run.start("2-b");
    CHECK_FALSE(run.reordered());
  }
}

TEST_CASE("an entry of unknown kind is rejected") {
  RecordBuilder builder;
  test::check_says(test::failure_of<InputError>([&] {
                     builder.add({"moon", nlohmann::json::object()});
                   }),
                   "\"moon\" records come from a newer ddlbench");
}
