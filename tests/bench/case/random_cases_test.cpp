#include "random_cases.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("forty random models train under every strategy as on one rank, or are unsupported", "[N2]") {
  test::check_random_cases(1, 40);
}
