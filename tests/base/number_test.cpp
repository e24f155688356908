#include "base/number.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("numbers are formatted as the shortest text that reads back as the same number") {
  CHECK(to_text(0.9f) == "0.9");
  CHECK(to_text(0.9) == "0.9");
  CHECK(to_text(double{0.9f}) == "0.8999999761581421");
  CHECK(to_text(1e-8) == "1e-08");
  CHECK(to_text(3.0) == "3");
}
