#include "bench/export/case_history.h"

#include "base/error.h"
#include "bench/records/environment.h"
#include "catch.h"
#include "trained_run.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::run_begin;
using ddlbench::test::trained_run;
using ddlbench::test::validation_within;

TEST_CASE("a time of the journal is read in UTC") {
  CHECK(seconds_of_utc("1970-01-01T00:00:00Z") == 0);
  CHECK(seconds_of_utc("2026-11-21T08:15:30Z") == static_cast<std::int64_t>(run_begin));
  CHECK(seconds_of_utc("2024-02-29T23:59:59Z") == 1709251199);
  for (const char* wrong : {"", "yesterday", "2026-11-21T08:15:30", "2026-11-21T08:15:30Z "})
    CHECK_THROWS_AS(seconds_of_utc(wrong), InputError);
}

TEST_CASE("the last epoch ends with the case's process, and the others before it") {
  const std::vector<CaseHistory> histories = histories_of(trained_run().records);
  REQUIRE(histories.size() == 1);  // the other case completed no epoch
  const CaseHistory& history = histories.front();
  CHECK(history.row == 0);
  CHECK(history.begin_seconds == run_begin);
  CHECK(history.end_seconds == run_begin + 20);
  REQUIRE(history.epochs.size() == 2);
  CHECK(history.epochs[0].row == 0);
  CHECK(history.epochs[0].begin_seconds == run_begin + 15);
  CHECK(history.epochs[0].trained_seconds == run_begin + 17);
  CHECK(history.epochs[0].end_seconds == run_begin + 17.5);
  CHECK(history.epochs[1].begin_seconds == run_begin + 17.5);
  CHECK(history.epochs[1].end_seconds == run_begin + 20);
}

TEST_CASE("validations within an epoch are part of it, and a training may end with one") {
  Records records = trained_run().records;
  records.validations.push_back(validation_within(2, 4));
  CHECK(histories_of(records).at(0).epochs.at(1).begin_seconds == run_begin + 17.25);
  records.validations.push_back(validation_within(3, 6));
  const CaseHistory history = histories_of(records).at(0);
  CHECK(history.end_seconds == run_begin + 20);
  CHECK(history.epochs.at(1).end_seconds == run_begin + 19);
  CHECK(history.training_seconds == history.epochs.at(0).begin_seconds);
  REQUIRE(history.validations.size() == 2);
  CHECK(history.validations[0].end_seconds == run_begin + 18);
  CHECK(history.validations[1].row == 1);
  CHECK(history.validations[1].begin_seconds == run_begin + 19.75);
  CHECK(history.validations[1].end_seconds == run_begin + 20);
}

TEST_CASE("a training that stopped within its first epoch begins before its validations") {
  Records records = trained_run().records;
  records.epochs.clear();
  records.validations.push_back(validation_within(1, 4));
  CHECK(histories_of(records).at(0).training_seconds == run_begin + 16);
  CHECK(histories_of(records).at(0).epochs.empty());
  records.validations[0].elapsed_seconds = 400;  // of a resumed training, most of it in an earlier process
  CHECK(histories_of(records).at(0).training_seconds == run_begin);
}

TEST_CASE("a case without samples lasted at least as long as its training") {
  Records records = trained_run().records;
  records.utilisation.clear();
  CHECK(histories_of(records).at(0).end_seconds == run_begin + 5);
  CHECK(histories_of(records).at(0).epochs.at(0).begin_seconds == run_begin);
}

TEST_CASE("a case whose start is not in the records has no history") {
  Records records = trained_run().records;
  records.started.clear();
  CHECK(histories_of(records).empty());
}
