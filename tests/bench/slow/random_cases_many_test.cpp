#include "../case/random_cases.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("three hundred random models train under every strategy as on one rank, or are unsupported", "[N2]") {
  test::check_random_cases(101, 400);
}
