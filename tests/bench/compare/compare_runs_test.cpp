#include "bench/compare/compare_runs.h"

#include <cmath>

#include "catch.h"
#include "run_fixtures.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns a run of one case with rounds of about `milliseconds`, beside probes of these times.
RunResults probed_run(double milliseconds, double compute_seconds = 1e-3, double memory_seconds = 1e-3) {
  std::vector<VisitRecord> visits;
  test::add_probed_rounds(visits, "ddp-r2", {milliseconds, 1.001 * milliseconds, 0.999 * milliseconds, milliseconds},
                          compute_seconds, memory_seconds);
  return test::run_of({test::finished_case("ddp", 2, milliseconds, 0.1)}, visits);
}

Verdict verdict_between(const RunResults& before, const RunResults& after, double margin = 0.02) {
  return compare_runs(before, after, margin).cases.at(0).verdict;
}

}  // namespace

TEST_CASE("a case is compared by the rounds of both runs") {
  const RunResults before = probed_run(10), slower = probed_run(11);
  const RunComparison comparison = compare_runs(before, slower, 0.02);
  REQUIRE(comparison.cases.size() == 1);
  const ComparedCase& one = comparison.cases.front();
  CHECK(one.verdict == Verdict::slower);
  CHECK(one.ratio().value == Approx(1.1).epsilon(1e-3));
  CHECK(one.ratio().low > 1.09);
  CHECK(one.ratio().high < 1.11);
  CHECK(verdict_between(slower, before) == Verdict::faster);
  CHECK(verdict_between(before, before) == Verdict::same);
  CHECK(verdict_between(before, slower, 0.2) == Verdict::same);
  CHECK(verdict_between(before, slower, 0.1) == Verdict::ambiguous);
}

TEST_CASE("a claim has to exceed what the speed probes show") {
  const RunResults before = probed_run(10), slower = probed_run(10.5);
  CHECK(verdict_between(before, slower) == Verdict::slower);
  CHECK(verdict_between(before, probed_run(10.5, 1.06e-3)) == Verdict::ambiguous);
  CHECK(verdict_between(before, probed_run(10.5, 1e-3, 1.06e-3)) == Verdict::ambiguous);
  CHECK(verdict_between(before, probed_run(10.5, 1.02e-3)) == Verdict::slower);
}

TEST_CASE("equal times do not count as equal if the machine's speed differed") {
  CHECK(verdict_between(probed_run(10), probed_run(10, 0.9e-3)) == Verdict::ambiguous);
}

TEST_CASE("a claim has to exceed the control of each run") {
  const auto with_control = [](double milliseconds, double copy) {
    std::vector<VisitRecord> visits;
    test::add_rounds(visits, "single-r1", {milliseconds, 1.001 * milliseconds, milliseconds});
    test::add_rounds(visits, "single-r1", {copy * milliseconds, 1.001 * copy * milliseconds, copy * milliseconds},
                     true);
    return test::run_of({test::finished_case("single", 1, milliseconds, 0.1)}, visits);
  };
  CHECK(verdict_between(with_control(10, 1), with_control(11, 1)) == Verdict::slower);
  CHECK(verdict_between(with_control(10, 1.15), with_control(11, 1)) == Verdict::ambiguous);
  CHECK(verdict_between(with_control(10, 1), with_control(11, 0.85)) == Verdict::ambiguous);
  const RunNoise noise = noise_of(with_control(10, 1.15), with_control(11, 1), "c0ffee");
  CHECK(reach(*noise.old_control) == Approx(0.15).epsilon(1e-3));
  CHECK(std::expm1(margins_of(noise, 0.02).claim) == Approx(0.15).epsilon(1e-3));
}

TEST_CASE("without rounds in both runs nothing is claimed") {
  const RunResults with = probed_run(10), without = test::run_of({test::finished_case("ddp", 2, 20, 0.1)});
  for (const auto& [before, after] : {std::pair(&with, &without), {&without, &with}, {&without, &without}}) {
    const ComparedCase one = compare_runs(*before, *after, 0.02).cases.at(0);
    CHECK(one.verdict == Verdict::ambiguous);
    CHECK(one.without_rounds);
  }
  const ComparedCase steps = compare_runs(without, test::run_of({test::finished_case("ddp", 2, 30, 1)}), 0.02).cases[0];
  CHECK(steps.ratio().value == Approx(1.5));
  CHECK(steps.ratio().low == Approx(29 / 20.1));
  CHECK(steps.ratio().high == Approx(31 / 19.9));
}

TEST_CASE("claims are corrected for the number of cases in the table") {
  std::vector<ComparedCase> cases(6);
  for (ComparedCase& one : cases) {
    one.times = TimeComparison{{-0.1, -0.15, -0.05}, 0.02};
    one.margins = {0.01, 0.01};
  }
  cases[4].without_rounds = true;
  cases[5].times.reset();
  decide(cases);
  CHECK(cases[0].adjusted_p == Approx(0.08));  // four are tested
  CHECK(cases[0].verdict == Verdict::ambiguous);
  CHECK(cases[5].verdict == Verdict::not_comparable);
  cases.resize(1);
  decide(cases);
  CHECK(cases[0].verdict == Verdict::slower);
}
