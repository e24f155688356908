#include "bench/statistics/two_samples.h"

#include <cmath>

#include "base/error.h"
#include "bench/statistics/verdict.h"
#include "catch.h"
#include "normal_draws.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("the shift between two samples is the median of all differences") {
  CHECK(hodges_lehmann_shift({1}, {4}) == 3);
  // Differences: 3, 9, 2, 8. Between the second and the third: (3 + 8) / 2.
  CHECK(hodges_lehmann_shift({1, 2}, {4, 10}) == 5.5);
  CHECK(hodges_lehmann_shift({1, 1.1, 0.9, 1}, {2, 2.1, 1.9, 1000}) < 1.2);
  CHECK_THROWS_AS(hodges_lehmann_shift({}, {1}), ContractError);
  CHECK_THROWS_AS(hodges_lehmann_shift({1}, {}), ContractError);
}

TEST_CASE("the interval of a shift between few values is at least Welch's") {
  // Means 2 and 7, variances 1 and 4 of three values each: standard error √(5/3), and
  // (5/3)² / ((1/3)²/2 + (4/3)²/2) = 50/17 degrees of freedom. t(0.975, 50/17) = 3.2187.
  const Interval interval = shift({1, 2, 3}, {5, 7, 9}, 1);
  CHECK(interval.value == 5);
  CHECK(interval.low == Approx(5 - 3.2187 * std::sqrt(5.0 / 3)).epsilon(1e-3));
  CHECK(interval.high == Approx(5 + 3.2187 * std::sqrt(5.0 / 3)).epsilon(1e-3));
  CHECK(std::isinf(shift({1}, {5, 7}, 1).high));
  CHECK(shift({5, 5}, {6, 6, 6}, 1) == Interval{1, 1, 1});
}

TEST_CASE("Welch's test compares the means of two samples") {
  CHECK(welch_two_sided({1, 2, 3}, {5, 7, 9}) == Approx(welch_two_sided({-5, -7, -9}, {-1, -2, -3})));
  CHECK(welch_two_sided({1, 2, 3}, {5, 7, 9}) < 0.05);
  CHECK(welch_two_sided({1, 2, 3}, {3, 2, 1}) == 1);
  CHECK(welch_two_sided({1}, {3, 2, 1}) == 1);
  CHECK(welch_two_sided({1, 1}, {2, 2}) == 0);
}

TEST_CASE("of two cases the one with shorter times is faster") {
  const TimeComparison comparison = compare_unpaired({0.10, 0.11, 0.09}, {0.20, 0.21, 0.19}, 1);
  CHECK(comparison.log_ratio.value == Approx(0.1));
  CHECK(verdict(comparison, comparison.p, {0.01, 0.01}) == Verdict::faster);
}

TEST_CASE("intervals of a shift contain the true value as often as they claim") {
  test::NormalDraws draws(17);
  struct Sizes {
    std::size_t from, to;
    double spread;  ///< of the second sample; of the first it is 1
    int least;      ///< 1000 × the true coverage less two standard errors
  };
  for (const Sizes& sizes : {Sizes{2, 2, 1, 935}, {3, 6, 4, 935}, {6, 3, 4, 920}, {5, 5, 1, 935}}) {
    constexpr int trials = 1000;
    int covered = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> from(sizes.from), to(sizes.to);
      for (double& value : from) value = draws.next();
      for (double& value : to) value = 3 + sizes.spread * draws.next();
      const Interval interval = shift(from, to, static_cast<std::uint64_t>(trial));
      covered += interval.low <= 3 && interval.high >= 3;
    }
    INFO(sizes.from << " and " << sizes.to << " values: " << covered << " of " << trials);
    CHECK(covered >= sizes.least);
  }
}
