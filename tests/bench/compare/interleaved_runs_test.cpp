#include "bench/compare/interleaved_runs.h"

#include <cmath>
#include <random>

#include "bench/statistics/interval.h"
#include "catch.h"
#include "run_fixtures.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

CaseRecord case_of(const std::string& strategy, double milliseconds) {
  return test::finished_case(strategy, 2, milliseconds, 0.1);
}

}  // namespace

TEST_CASE("contestants with other contracts or options are compared") {
  CaseRecord changed = case_of("ddp", 1), other = case_of("zero stage=2", 1);
  changed.contract_id = "other";
  const RunResults before = test::run_of({case_of("ddp", 1), case_of("zero stage=3", 1)});
  const RunResults after = test::run_of({changed, other});
  const std::vector<CasePair> pairs = pair_contestants(before, after);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].old_case->strategy == "ddp");
  CHECK(pairs[1].old_case->strategy == "zero stage=3");
  CHECK(pairs[1].new_case->strategy == "zero stage=2");
  CHECK((pairs[0].why.empty() && pairs[1].why.empty()));

  const RunResults fewer = test::run_of({changed});
  CHECK(pair_contestants(before, fewer)[1].why == "only in OLD");
}

TEST_CASE("ratios are precise when their interval is at most half the margin to each side") {
  const std::vector<double> close{0.001, -0.001, 0.002, -0.002, 0.001, -0.001}, fewer(close.begin(), close.end() - 1);
  CHECK(are_precise(close, 0.02));
  CHECK_FALSE(are_precise(close, 0.002));
  CHECK_FALSE(are_precise(fewer, 0.02));
  CHECK_FALSE(are_precise({}, 0.02));
}

TEST_CASE("intervals of rounds that end when they are precise contain the true ratio as often as the page says") {
  std::mt19937 random(1);
  for (const double spread : {0.005, 0.013}) {
    std::normal_distribution<double> ratio_of_round(0, spread);
    constexpr int runs = 100;
    int missed = 0;
    for (int run = 0; run < runs; ++run) {
      std::vector<double> ratios;
      while (!are_precise(ratios, 0.02)) ratios.push_back(ratio_of_round(random));
      const Interval interval = location(ratios, 1);
      missed += interval.low > 0 || interval.high < 0;
    }
    CAPTURE(spread);
    CHECK(missed <= 0.08 * runs);
  }
}
