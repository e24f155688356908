#include "bench/case/estimate.h"

#include <numeric>

#include "base/error.h"
#include "catch.h"
#include "graph/random.h"

using namespace ddlbench::bench;

TEST_CASE("The estimate is the interquartile mean", "[estimate]") {
  const Estimate one = interquartile_mean({7}, 1);
  CHECK(one.value == 7);
  CHECK(one.low == 7);
  CHECK(one.high == 7);

  // In order: 1 2 | 3 4 5 6 | 70 800.
  const Estimate eight = interquartile_mean({6, 800, 1, 4, 3, 70, 2, 5}, 1);
  CHECK(eight.value == Approx(4.5));
  CHECK(eight.used == std::vector<std::size_t>{4, 3, 7, 0});
  CHECK(eight.low < 4.5);
  CHECK(eight.high > 4.5);
  CHECK_THROWS_AS(interquartile_mean({}, 1), ddlbench::ContractError);
}

TEST_CASE("Equal values and seeds give equal intervals", "[estimate]") {
  const std::vector<double> values{5, 3, 9, 1, 4, 4, 8};
  CHECK(interquartile_mean(values, 1).low == interquartile_mean(values, 1).low);
  CHECK(interquartile_mean(values, 1).high == interquartile_mean(values, 1).high);
}

TEST_CASE("The interval covers the true value about as often as its confidence level says", "[estimate]") {
  int held = 0;
  constexpr int trials = 200;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 60; ++i) {
      values.push_back(ddlbench::graph::unit_float(ddlbench::graph::philox(5, trial, i).v[0]));
    }
    const Estimate estimate = interquartile_mean(values, trial);
    held += estimate.low <= 0.5 && 0.5 <= estimate.high ? 1 : 0;
  }
  // 95 % of 200 is 190, standard deviation 3; the percentile method is a little narrow.
  CHECK(held >= 176);
  CHECK(held < trials);
}
