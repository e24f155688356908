#include "bench/page/axis.h"

#include <cmath>
#include <limits>

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("an axis of absurd values has finite limits and ticks") {
  for (const auto& [low, high] :
       {std::pair{1e-320, 1.0}, {1.0, 1.7e308}, {0.0, std::numeric_limits<double>::infinity()}}) {
    const Axis axis = logarithmic_axis("absurd", {}, low, high);
    CHECK(std::isfinite(axis.high));
    CHECK(axis.low > 0);
    for (const double tick : axis.ticks) CHECK(std::isfinite(tick));
  }
}

TEST_CASE("linear ticks are round numbers, at most as many as asked for") {
  CHECK(linear_ticks(0, 10, 6) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(linear_ticks(0, 1.04, 6) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(linear_ticks(3, 17, 3) == std::vector<double>{5, 10, 15});
  CHECK(linear_ticks(-3, 3, 4) == std::vector<double>{-2, 0, 2});
  for (double high = 0.001; high < 1e6; high *= 1.37) {
    const std::vector<double> ticks = linear_ticks(0, high, 6);
    INFO(high);
    CHECK(ticks.size() >= 3);
    CHECK(ticks.size() <= 6);
    CHECK(ticks.back() <= high * (1 + 1e-9));
  }
}

TEST_CASE("logarithmic ticks become sparser the more decades there are") {
  CHECK(logarithmic_ticks(1, 10, 6) == std::vector<double>{1, 2, 5, 10});
  CHECK(logarithmic_ticks(1, 100, 6) == std::vector<double>{1, 3, 10, 30, 100});
  CHECK(logarithmic_ticks(1, 1e4, 6) == std::vector<double>{1, 10, 100, 1000, 10000});
  CHECK(logarithmic_ticks(1, 1e8, 6) == std::vector<double>{1, 100, 10000, 1e6, 1e8});
  CHECK(logarithmic_ticks(2.1, 3.9, 6).size() >= 2);
}

TEST_CASE("an axis places and labels values in its unit") {
  const Axis time = axis_from_zero("Step time", {1e-3, "ms"}, 0.01);
  CHECK(time.title == "Step time (ms)");
  CHECK(time.share(0) == 0);
  CHECK(time.share(time.high) == 1);
  CHECK(time.label(0.004) == "4");
  CHECK(time.label(0.0006000000000000001) == "0.6");
  const Axis ranks = ranks_axis({4, 1, 2, 2});
  CHECK(ranks.ticks == std::vector<double>{1, 2, 4});
  CHECK(ranks.share(2) == Approx(0.5));
  CHECK(ranks_axis({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).ticks == std::vector<double>{1, 2, 4, 8});
}

TEST_CASE("a range without extent still has an axis") {
  const Axis flat = axis_between("Accuracy", {}, 0.5, 0.5);
  CHECK(flat.low < 0.5);
  CHECK(flat.high > 0.5);
  CHECK(axis_between("Accuracy", {}, 0, 0).high > 0);
  CHECK(axis_from_zero("Time", {1, "s"}, 0).high == 1);
}
