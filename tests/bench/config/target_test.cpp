#include "bench/config/target.h"

#include <limits>

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("a target is described by its conditions") {
  CHECK(describe(Target{}).empty());
  CHECK(describe(Target{0.5, {}}) == "loss 0.5");
  CHECK(describe(Target{0.25, 0.9, 100}) == "loss 0.25 and accuracy 0.9");
}

TEST_CASE("a target is reached where all its conditions hold") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(is_reached({}, 0, 1));
  CHECK(is_reached({0.5, {}}, 0.5, 0));
  CHECK_FALSE(is_reached({0.5, {}}, 0.51, 1));
  CHECK_FALSE(is_reached({0.5, {}}, nan, 1));
  CHECK(is_reached({{}, 0.9}, nan, 0.9));
  CHECK_FALSE(is_reached({{}, 0.9}, 0, nan));
  CHECK_FALSE(is_reached({0.5, 0.9}, 0.4, 0.89));
  CHECK(is_reached({0.5, 0.9}, 0.4, 0.9));
}
