#include "bench/statistics/interval.h"

#include <cmath>

#include "base/error.h"
#include "bench/statistics/moments.h"
#include "catch.h"
#include "normal_draws.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("the Hodges-Lehmann estimate is the median of all pairs' means") {
  CHECK(hodges_lehmann({3}) == 3);
  CHECK(hodges_lehmann({1, 2}) == 1.5);
  // Means: 1, 2, 10, 1.5, 5.5, 6. Between the third and the fourth: (2 + 5.5) / 2.
  CHECK(hodges_lehmann({1, 2, 10}) == 3.75);
  CHECK(hodges_lehmann({1, 1.1, 0.9, 1, 1000}) < 1.2);
  CHECK_THROWS_AS(hodges_lehmann({}), ContractError);
}

TEST_CASE("the moments of a sample have its standard error") {
  const Moments moments = moments_of({1, 2, 3, 4});
  CHECK(moments.mean == 2.5);
  CHECK(moments.standard_error == Approx(std::sqrt(5.0 / 3 / 4)));
  CHECK(moments_of({7}).standard_error == 0);
}

TEST_CASE("the interval of few values is at least Student's") {
  const Interval two = location({1, 2}, 1);
  CHECK(two.value == 1.5);
  CHECK(two.low == Approx(1.5 - 12.706204736 * 0.5));
  CHECK(two.high == Approx(1.5 + 12.706204736 * 0.5));
  CHECK(std::isinf(location({1}, 1).high));
  CHECK(location({5, 5, 5}, 1) == Interval{5, 5, 5});
}

TEST_CASE("equal values and seeds give equal intervals") {
  const std::vector<double> values{1, 3, 2, 5, 4, 9, 7, 8};
  CHECK(location(values, 3) == location(values, 3));
}

TEST_CASE("intervals contain the true value as often as they claim") {
  test::NormalDraws draws(11);
  for (const std::size_t n : {2, 3, 4, 6, 12, 20}) {
    constexpr int trials = 1000;
    int covered = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> values(n);
      for (double& value : values) value = draws.next();
      const Interval interval = location(values, static_cast<std::uint64_t>(trial));
      covered += interval.low <= 0 && interval.high >= 0;
    }
    INFO(n << " values: " << covered << " of " << trials);
    CHECK(covered >= 935);  // 950 less two standard errors
  }
}
