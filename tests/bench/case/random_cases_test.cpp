#include "random_cases.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("forty random models train under every strategy as on one rank, or are unsupported", "[N2]") {
  test::check_random_cases(1, 40);
}

// Gradients of residuals in it are needed in an earlier phase than the one that has converted them first.
TEST_CASE("halves of backward passes on a tensor axis do not wait for each other") {
  test::check_random_cases(162, 162);
}
