#include "bench/statistics/verdict.h"

#include <cmath>

#include "catch.h"
#include "normal_draws.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

const double one_percent = std::log(1.01);

Verdict verdict_of(const std::vector<double>& log_ratios, double margin) {
  const TimeComparison comparison = compare_paired(log_ratios, 1);
  return verdict(comparison, comparison.p, {margin, margin});
}

/// Returns log-ratios of rounds around a true ratio.
std::vector<double> rounds(test::NormalDraws& draws, int count, double ratio, double deviation) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(std::log(ratio) + deviation * draws.next());
  return values;
}

}  // namespace

TEST_CASE("a verdict needs the whole interval on one side") {
  CHECK(verdict_of({0.050, 0.051, 0.049, 0.0505}, one_percent) == Verdict::faster);
  CHECK(verdict_of({-0.050, -0.051, -0.049, -0.0505}, one_percent) == Verdict::slower);
  CHECK(verdict_of({0.001, -0.001, 0.0005, 0.0002}, one_percent) == Verdict::same);
  CHECK(verdict_of({0.05, -0.01, 0.08, 0.002}, one_percent) == Verdict::ambiguous);
  CHECK(verdict_of({0.010, 0.0101, 0.0099, 0.01}, one_percent) == Verdict::ambiguous);  // as large as the margin
  CHECK(verdict_of({0.05}, one_percent) == Verdict::ambiguous);
  CHECK(name(Verdict::not_comparable) == "not comparable");
}

TEST_CASE("noise limits claims, but does not make cases equal") {
  const TimeComparison comparison = compare_paired({0.050, 0.051, 0.049, 0.0505}, 1);
  CHECK(verdict(comparison, comparison.p, {0.1, 0.01}) == Verdict::ambiguous);
}

TEST_CASE("the ratio of times is the exponential of the log-ratio") {
  const Interval ratio = compare_paired({std::log(2), std::log(2)}, 1).ratio();
  CHECK(ratio.value == Approx(2));
  CHECK(ratio.low == Approx(2));
}

TEST_CASE("Holm's correction multiplies by the number of claims that are left") {
  CHECK(holm({}).empty());
  const std::vector<double> adjusted = holm({0.01, 0.04, 0.03, 0.005});
  CHECK(adjusted[3] == Approx(0.02));
  CHECK(adjusted[0] == Approx(0.03));
  CHECK(adjusted[2] == Approx(0.06));
  CHECK(adjusted[1] == Approx(0.06));  // not below the smaller p-value's
  CHECK(holm({0.9, 0.8})[0] == 1);
}

TEST_CASE("a correction makes a claim harder") {
  const TimeComparison comparison = compare_paired({0.05, 0.045, 0.055}, 1);
  CHECK(comparison.p < 0.01);
  CHECK(verdict(comparison, comparison.p, {one_percent, one_percent}) == Verdict::faster);
  CHECK(verdict(comparison, 0.06, {one_percent, one_percent}) == Verdict::ambiguous);
}

TEST_CASE("of 400 pairs that do not differ at most 5 % are claimed to differ, and of 400 that do, most are found") {
  test::NormalDraws draws(5);
  int claimed = 0, found = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Verdict equal = verdict_of(rounds(draws, 4, 1, 0.02), one_percent);
    claimed += equal == Verdict::faster || equal == Verdict::slower;
    found += verdict_of(rounds(draws, 4, 1.05, 0.01), one_percent) == Verdict::faster;
  }
  INFO("claimed " << claimed << ", found " << found);
  CHECK(claimed <= 20);
  CHECK(found >= 360);
}
