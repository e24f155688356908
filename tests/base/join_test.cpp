#include "base/join.h"

#include <vector>

#include "catch.h"

using namespace ddlbench;

TEST_CASE("lists are joined into text") {
  CHECK(joined(std::vector<std::string>{}) == "");
  CHECK(joined(std::vector<std::string>{"", "a", ""}) == ", a, ");
  CHECK(joined(std::vector<int>{3, -1}, "x") == "3x-1");
  CHECK(joined(std::vector<double>{0.5, 2}, " ", [](double value) { return value < 1 ? "low" : "high"; }) ==
        "low high");
}
