#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/records/file.h"
#include "catch.h"
#include "contains.h"
#include "supervised.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::contains;
using ddlbench::test::TemporaryFolder;

namespace {

std::vector<Case> cases_that(const std::vector<std::string>& acts) {
  std::vector<Case> cases;
  for (const std::string& act : acts) cases.push_back(make_case(act));
  return cases;
}

}  // namespace

TEST_CASE("a run that was stopped continues with the cases that have not ended", "[resume]") {
  const TemporaryFolder folder;
  const std::vector<Case> cases = cases_that({"ok", "nan", "first stop", "chatty"});
  const Run stopped = run(folder, cases);
  CHECK(stopped.code == 143);
  CHECK(contains(stopped.out, "Not complete: 2 of 4 cases have ended; ddlbench --resume " + (folder / "run")));
  CHECK(contains(stopped.out, "No recommendation yet: 2 cases did not run to their end"));
  CHECK_FALSE(contains(stopped.out, "Best: "));

  const Run resumed = resume(folder, cases);
  CHECK(resumed.code == 1);  // of the case that fails
  CHECK_FALSE(contains(resumed.out, "Not complete"));
  CHECK_FALSE(contains(resumed.err, "ok: ok"));
  REQUIRE(resumed.records.cases.size() == 4);
  const auto check = [&](const std::string& id, Status status, int attempts) {
    INFO(id);
    CHECK(record_of(resumed, id).status == status);
    CHECK(record_of(resumed, id).attempts == attempts);
  };
  check("ok", Status::ok, 1);
  check("nan", Status::non_finite, 1);
  check("first stop", Status::ok, 2);
  check("chatty", Status::ok, 1);
  CHECK(contains(read_file(folder / "run/environment.json"), "resumptions"));
  CHECK_FALSE(std::filesystem::exists(folder / "run/lock"));
}

TEST_CASE("cases that failed run again only on request", "[resume]") {
  const TemporaryFolder folder;
  const std::vector<Case> cases = cases_that({"ok", "first nan"});
  CHECK(run(folder, cases).code == 1);
  CHECK(record_of(resume(folder, cases), "first nan").status == Status::non_finite);
  const Run again = resume(folder, cases, Retry::failed);
  CHECK(again.code == 0);
  CHECK(record_of(again, "first nan").status == Status::ok);
  CHECK(record_of(again, "ok").attempts == 1);
}

TEST_CASE("no case starts after the time limit, and the run can be resumed", "[resume]") {
  const TemporaryFolder folder;
  const std::vector<Case> cases = cases_that({"ok", "chatty"});
  const Run late = run_until(folder, cases, std::chrono::steady_clock::now());
  CHECK(late.code == 142);
  CHECK(record_of(late, "ok").status == Status::skipped);
  CHECK(record_of(late, "ok").status_reason == "the time limit was reached");
  CHECK_FALSE(record_of(late, "ok").attempts.has_value());
  CHECK(resume(folder, cases).code == 0);
}

TEST_CASE("a case that lost a rank runs again as often as asked", "[resume]") {
  const TemporaryFolder first, second;
  const Run without = run_with_retries(first, cases_that({"first lost"}), 0);
  CHECK(record_of(without, "first lost").status == Status::lost_rank);
  const Run with = run_with_retries(second, cases_that({"first lost", "lost", "nan"}), 2);
  CHECK(record_of(with, "first lost").status == Status::ok);
  CHECK(record_of(with, "first lost").attempts == 2);
  CHECK(record_of(with, "lost").status == Status::lost_rank);
  CHECK(record_of(with, "lost").attempts == 3);
  CHECK(record_of(with, "nan").attempts == 1);
  CHECK(with.records.cases.size() == 3);
}
