#include "base/units.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("quantities are formatted with three significant digits and a suitable unit") {
  CHECK(format_seconds(1.2345e-3) == "1.23 ms");
  CHECK(format_seconds(45.67) == "45.7 s");
  CHECK(format_seconds(999.7e-6) == "1.00 ms");
  CHECK(format_seconds(12e-9) == "12.0 ns");
  CHECK(format_interval(1.2345e-3, 1.2e-3, 1.3e-3) == "1.23 [1.20, 1.30] ms");
  CHECK(format_interval(1.2345e-3, 1.2325e-3, 1.236e-3) == "1.234 [1.233, 1.236] ms");
  CHECK(format_interval(1e-3, 1e-3, 1e-3) == "1.00 [1.00, 1.00] ms");
  const TimeUnit ms(0.02);
  CHECK(ms.name() == std::string("ms"));
  CHECK(ms.format(0.02) == "20.0");
  CHECK(ms.format(0.000123) == "0.123");
  CHECK(ms.format(0.0000123) == "0.0123");
  CHECK(ms.format_interval(0.0009111, 0.000905, 0.000918) == "0.911 [0.905, 0.918]");
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(3 << 20) == "3.00 MiB");
  CHECK(format_bytes((1LL << 30) - 1) == "1.00 GiB");
  CHECK(format_ratio(12.345) == "12.3");
  CHECK(format_duration(7) == "7 s");
  CHECK(format_duration(187) == "3:07 min");
  CHECK(format_duration(3723) == "1:02:03 h");
}
