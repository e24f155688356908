#include "bench/page/quantity.h"

#include <limits>

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("numbers have the digits that were asked for and no exponent") {
  CHECK(significant(0.91073, 4) == "0.9107");
  CHECK(significant(12.345, 3) == "12.3");
  CHECK(significant(99.96, 3) == "100");
  CHECK(significant(123456, 3) == "123456");
  CHECK(significant(1.2e-5, 3) == "0.0000120");
  CHECK(significant(0, 3) == "0");
  CHECK(significant(-0.25, 2) == "-0.25");
  CHECK(significant(std::numeric_limits<double>::infinity(), 3) == "inf");
}

TEST_CASE("a column has one unit, which suits its middle value") {
  CHECK(typical({1, 100, 3}) == 3);
  CHECK(typical({}) == 0);
  CHECK(time_unit(0.0009).name == "µs");
  CHECK(time_unit(119).name == "s");
  CHECK(time_unit(7200).name == "h");
  CHECK(byte_unit(3 << 20).name == "MiB");
  CHECK(byte_unit(100).name == "B");
  CHECK(quantity(0.001213, time_unit(0.001213), 4) == "1.213 ms");
  CHECK(quantity(1.5, {}, 3) == "1.50");
}
