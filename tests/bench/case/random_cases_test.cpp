#include "random_cases.h"
#include "catch.h"

using namespace ddlbench;

// Four cases of ten models, because CTest runs cases side by side.
TEST_CASE("random models 1 to 10 train under every strategy as on one rank, or are unsupported", "[N2]") {
  test::check_random_cases(1, 10);
}

TEST_CASE("random models 11 to 20 train under every strategy as on one rank, or are unsupported", "[N2]") {
  test::check_random_cases(11, 20);
}

TEST_CASE("random models 21 to 30 train under every strategy as on one rank, or are unsupported", "[N2]") {
  test::check_random_cases(21, 30);
}

TEST_CASE("random models 31 to 40 train under every strategy as on one rank, or are unsupported", "[N2]") {
  test::check_random_cases(31, 40);
}

// Gradients of residuals in it are needed in an earlier phase than the one that has converted them first.
TEST_CASE("halves of backward passes on a tensor axis do not wait for each other") {
  test::check_random_cases(162, 162);
}
