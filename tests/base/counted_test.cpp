#include "base/counted.h"

#include <cstddef>

#include "catch.h"

using namespace ddlbench;

TEST_CASE("a number has a noun in singular or plural") {
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(1, "rank") == "1 rank");
  CHECK(counted(std::size_t{2}, "more case") == "2 more cases");
  CHECK(counted(1, "body", "bodies") == "1 body");
  CHECK(counted(3, "body", "bodies") == "3 bodies");
}
