#include "bench/command/number_limits.h"

#include "catch.h"

using ddlbench::bench::parse_duration;

TEST_CASE("times are read with units and as Slurm writes them") {
  CHECK(parse_duration("90") == 90.0);
  CHECK(parse_duration("90s") == 90.0);
  CHECK(parse_duration("45m") == 2700.0);
  CHECK(parse_duration("1.5h") == 5400.0);
  CHECK(parse_duration("1h30m") == 5400.0);
  CHECK(parse_duration("30:00") == 1800.0);
  CHECK(parse_duration("2:30:00") == 9000.0);
  CHECK(parse_duration("1-02:30:00") == 95400.0);
  CHECK(parse_duration("1-02") == 93600.0);
  for (const char* text : {"", "0", "-5", "1x", "h", "1h-", "1:2:3:4", "::", "1-", "nan", "inf", "1e9x"}) {
    INFO(text);
    CHECK_FALSE(parse_duration(text).has_value());
  }
}
