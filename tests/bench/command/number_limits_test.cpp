#include "bench/command/number_limits.h"

#include "catch.h"

using ddlbench::bench::number_from;
using ddlbench::bench::parse_duration;
using ddlbench::bench::parse_size;

TEST_CASE("a number outside its limits is an error that shows them") {
  const auto error_of = [](std::string text) { return number_from(0, 1e9)(text); };
  for (const char* text : {"0", "0.5", "1e9"}) CHECK(error_of(text).empty());
  for (const char* text : {"-1", "1.1e9", "inf", "nan", "", "1x"})
    CHECK(error_of(text) == "expected a number from 0 to 1e+09; found \"" + std::string(text) + "\"");
}

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

TEST_CASE("sizes are bytes with an optional unit") {
  CHECK(parse_size("800000000") == 800000000);
  CHECK(parse_size("512M") == 512 << 20);
  CHECK(parse_size("1.5 GiB") == 1536LL << 20);
  CHECK(parse_size("2KB") == 2048);
  CHECK(parse_size("1T") == 1LL << 40);
  CHECK(parse_size("7B") == 7);
  for (const char* wrong : {"", "M", "0", "0.5", "-1", "12 X", "5MM", "5Mi", "1e9", "9999999999T", "1.2.3K", "nan"})
    CHECK_FALSE(parse_size(wrong).has_value());
}
