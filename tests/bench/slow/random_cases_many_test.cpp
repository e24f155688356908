#include "../case/random_cases.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("three hundred random models train under every strategy as on one rank, or are unsupported", "[N2]") {
  const test::RandomCases cases = test::run_random_cases(101, 400);
  CHECK(cases.failures == "");
  CHECK(cases.unproven <= cases.models / 10);
  CHECK(cases.unsupported <= cases.certified / 3);
}
