#include "bench/records/csv.h"

#include <limits>

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("CSV cells are quoted where RFC 4180 requires it") {
  CHECK(csv_line({"a", "b c", ""}) == "a,b c,\r\n");
  CHECK(csv_line({"one, two", "say \"no\"", "two\nlines", "cr\r"}) ==
        "\"one, two\",\"say \"\"no\"\"\",\"two\nlines\",\"cr\r\"\r\n");
}

TEST_CASE("numbers in cells read back as the same value") {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 123456789.125, -0.0, 5e22}) {
    CHECK(std::stod(cell(value)) == value);
  }
  CHECK(cell(0.1) == "0.1");
  CHECK(cell(2.0) == "2");
  CHECK(cell(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(cell(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(cell(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(cell(std::int64_t{1} << 62) == "4611686018427387904");
  CHECK(cell(std::uint64_t{18446744073709551615ull}) == "18446744073709551615");
  CHECK(cell(true) == "true");
}

TEST_CASE("an empty cell is not 0") {
  CHECK(cell(std::optional<double>()) == "");
  CHECK(cell(std::optional<double>(0.0)) == "0");
}
