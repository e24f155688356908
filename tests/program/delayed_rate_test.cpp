#include "program/delayed_rate.h"

#include "catch.h"

namespace ddlbench::program {

// Yang et al. 2021, section 3.1: the rate is divided by τ^p with p = 1 − min(k / K, 1), where τ is 1 for the last
// stage.
TEST_CASE("a delayed rate grows from a part to the whole rate") {
  const DelayedRate rate{3, 10};
  CHECK(rate.factor(0) == Approx(0.25));
  CHECK(rate.factor(5) == Approx(0.5));
  CHECK(rate.factor(10) == 1);
  CHECK(rate.factor(1000) == 1);
  CHECK(DelayedRate{3, 0}.factor(0) == 1);
  CHECK(DelayedRate{0, 10}.factor(0) == 1);
}

}  // namespace ddlbench::program
