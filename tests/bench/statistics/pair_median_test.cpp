#include "bench/statistics/pair_median.h"

#include "bench/statistics/bootstrap.h"
#include "bench/statistics/interval.h"
#include "bench/statistics/two_samples.h"
#include "catch.h"
#include "normal_draws.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::vector<double> resample(const std::vector<double>& values, const std::vector<std::uint64_t>& times) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < values.size(); ++i) drawn.insert(drawn.end(), times[i], values[i]);
  return drawn;
}

}  // namespace

TEST_CASE("the median of pairs counts each as often as it occurs") {
  const PairMedian median({{30, 2, 0}, {10, 0, 0}, {20, 1, 0}});
  const auto of = [&](std::vector<std::uint64_t> times) {
    return median.of(times[0] + times[1] + times[2], [&](std::size_t i, std::size_t) { return times[i]; });
  };
  CHECK(of({1, 1, 1}) == 20);
  CHECK(of({2, 0, 2}) == 20);
  CHECK(of({0, 1, 1}) == 25);
  CHECK(of({1, 0, 2}) == 30);
  CHECK(of({0, 0, 1}) == 30);
  CHECK_THROWS_AS(of({0, 0, 0}), ContractError);
  CHECK_THROWS_AS(median.of(6, [](std::size_t, std::size_t) { return 1; }), ContractError);
}

TEST_CASE("medians of drawn pairs are the estimates of the resample") {
  test::NormalDraws draws(5);
  std::vector<double> from(7), to(10);
  for (std::vector<double>* values : {&from, &to}) {
    for (double& value : *values) value = draws.next();
  }
  std::vector<PairMedian::Pair> means, differences;
  for (std::uint32_t j = 0; j < to.size(); ++j) {
    for (std::uint32_t i = 0; i <= j; ++i) means.push_back({(to[i] + to[j]) / 2, i, j});
    for (std::uint32_t i = 0; i < from.size(); ++i) differences.push_back({to[j] - from[i], i, j});
  }
  const PairMedian mean(means), difference(differences);
  std::vector<std::uint64_t> from_drawn(from.size()), to_drawn(to.size());
  for (std::size_t number = 0; number < 100; ++number) {
    draw(1, number, from_drawn);
    draw(2, number, to_drawn);
    const std::vector<double> from_values = resample(from, from_drawn), to_values = resample(to, to_drawn);
    REQUIRE(to_values.size() == to.size());
    CHECK(mean.of(means.size(), [&](std::size_t i, std::size_t j) {
      return i == j ? to_drawn[i] * (to_drawn[i] + 1) / 2 : to_drawn[i] * to_drawn[j];
    }) == hodges_lehmann(to_values));
    CHECK(difference.of(differences.size(), [&](std::size_t i, std::size_t j) {
      return from_drawn[i] * to_drawn[j];
    }) == hodges_lehmann_shift(from_values, to_values));
  }
}
