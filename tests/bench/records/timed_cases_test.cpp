#include "bench/records/timed_cases.h"

#include "../record_fixtures.h"
#include "../visit_fixtures.h"
#include "bench/records/comparison.h"
#include "catch.h"

using namespace ddlbench::bench;
using ddlbench::test::add_rounds;
using ddlbench::test::finished_case;

namespace {

Records two_cases() {
  Records records;
  records.cases = {finished_case("single", 1, 5, 0.1), finished_case("ddp", 2, 5, 0.1)};
  for (CaseRecord& record : records.cases) {
    record.measurement->samples_per_second = 100;
    record.measurement->budget.forward = 5e-3;
  }
  add_rounds(records.visits, "single-r1", {2.00, 2.01, 1.99});
  add_rounds(records.visits, "ddp-r2", {1.00, 1.005, 0.995});
  records.rounds = {{"c0ffee", 0.01, "precision"}};
  return records;
}

}  // namespace

TEST_CASE("a case has the step time of its rounds, and a budget that sums to it") {
  Records records = two_cases();
  records.visits[0].disturbed = true;
  add_rounds(records.visits, "single-r1", {2, 2, 2}, true);
  records.visits.back().disturbed = true;  // the second copy's visits are not the case's
  const std::vector<CaseRecord> cases = TimedCases(records).cases();
  const Measurement& single = *cases[0].measurement;
  CHECK(single.step_seconds == Approx(2e-3));
  CHECK(single.step_seconds_low < 2e-3);
  CHECK(single.step_seconds_high > 2e-3);
  CHECK(*single.own_process_step_seconds == Approx(5e-3));
  CHECK(single.samples_per_second == Approx(250));
  CHECK(single.budget.total() == Approx(single.step_seconds));
  CHECK(single.budget.forward == Approx(1.5e-3));
  CHECK(*single.rounds == 3);
  CHECK(*single.rounds_ended_by == "precision");
  CHECK(*single.disturbed_visits == 1);
  CHECK(*single.round_spread_ratio == Approx(2.01 / 1.99 - 1));
}

TEST_CASE("without visits cases are as they were") {
  Records records = two_cases();
  records.visits.clear();
  CHECK(TimedCases(records).cases()[0].measurement->step_seconds == Approx(5e-3));
  CHECK(TimedCases(records).verdicts().empty());
}

TEST_CASE("one round gives no interval, so that the times stay those of the case's own process") {
  Records records = two_cases();
  std::erase_if(records.visits, [](const VisitRecord& visit) { return visit.round > 1; });
  records.rounds.clear();
  const TimedCases timed(records);
  const Measurement& single = *timed.cases()[0].measurement;
  CHECK(single.step_seconds == Approx(5e-3));
  CHECK(*single.rounds == 1);
  CHECK(*single.rounds_ended_by == "interrupted");
  CHECK(timed.verdicts().empty());
}

TEST_CASE("a case whose visit failed has failed") {
  Records records = two_cases();
  records.visits.back().status = Status::crashed;
  records.visits.back().status_reason = "killed by signal 9 (SIGKILL)";
  const std::vector<CaseRecord> cases = TimedCases(records).cases();
  CHECK(cases[0].status == Status::ok);
  CHECK(cases[1].status == Status::crashed);
  CHECK(cases[1].status_reason == "when it was timed again in round 3: killed by signal 9 (SIGKILL)");
  CHECK_FALSE(cases[1].measurement);
}

TEST_CASE("a case that failed beside others has failed unless it then ran alone") {
  Records records = two_cases();
  VisitRecord& first = *std::find_if(records.visits.begin(), records.visits.end(), [&](const VisitRecord& visit) {
    return visit.case_id == records.cases[1].case_id;
  });
  first.status = Status::crashed;
  for (VisitRecord& visit : records.visits) visit.time_slice_seconds = 0.05;
  CHECK(TimedCases(records).cases()[1].status == Status::crashed);
  records.visits.back().time_slice_seconds.reset();
  CHECK(records.visits.back().case_id == records.cases[1].case_id);
  CHECK(TimedCases(records).cases()[1].status == Status::ok);
  first.time_slice_seconds.reset();
  CHECK(TimedCases(records).cases()[1].status == Status::crashed);
}

TEST_CASE("speedups of cases that took turns come from their rounds") {
  const TimedCases timed(two_cases());
  const std::vector<Comparison> compared = compare(timed.cases(), timed.verdicts());
  CHECK(*compared[1].speedup_ratio == Approx(2).epsilon(1e-3));
  CHECK(*compared[1].speedup_low_ratio > 1.99);
  CHECK(*compared[1].speedup_high_ratio < 2.01);
  CHECK(*compared[1].verdict == "faster");
  CHECK(*compared[0].speedup_ratio == 1);
  CHECK_FALSE(compared[0].verdict);
}

TEST_CASE("cases that follow growing records are those of all records at once") {
  const Records all = two_cases();
  Records growing;
  TimedCases following;
  growing.cases = all.cases;
  CHECK_FALSE(following.update(growing));
  for (const VisitRecord& visit : all.visits) {
    growing.visits.push_back(visit);
    CHECK(following.update(growing));
  }
  growing.rounds = all.rounds;
  CHECK(following.update(growing));
  CHECK_FALSE(following.update(growing));
  const TimedCases at_once(all);
  for (std::size_t i = 0; i < all.cases.size(); ++i) {
    CHECK(following.cases()[i].measurement->step_seconds == at_once.cases()[i].measurement->step_seconds);
    CHECK(*following.cases()[i].measurement->rounds_ended_by == "precision");
  }
  CHECK(following.verdicts().at("c0ffee").margin() == at_once.verdicts().at("c0ffee").margin());
}
