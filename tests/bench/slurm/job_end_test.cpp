#include "bench/slurm/job_end.h"

#include "catch.h"
#include "contains.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns what follows at second 1000 from a value of the variable.
JobEnd end_of(const std::optional<std::string>& value) {
  return job_end([&](const std::string& name) { return name == "SLURM_JOB_END_TIME" ? value : std::nullopt; }, 1000);
}

}  // namespace

TEST_CASE("the end of a job is a time limit") {
  CHECK(end_of("1090").seconds_left == 90);
  CHECK(end_of("1090").ignored.empty());
  CHECK_FALSE(end_of(std::nullopt).seconds_left.has_value());
  CHECK(end_of(std::nullopt).ignored.empty());
}

TEST_CASE("an end of a job that is no time, or is in the past, is ignored with a note") {
  for (const char* text :
       {"", "Unknown", "1090s", " 1090", "1e9", "-5", "9223372036854775807", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(end_of(text).seconds_left.has_value());
    CHECK(test::contains(end_of(text).ignored, "because it is not a time in seconds since 1970"));
  }
  for (const char* text : {"1000", "999", "0"}) {
    CAPTURE(text);
    CHECK_FALSE(end_of(text).seconds_left.has_value());
    CHECK(test::contains(end_of(text).ignored, "because it is in the past"));
  }
  CHECK(
      end_of("abc").ignored ==
      "SLURM_JOB_END_TIME=abc is ignored, because it is not a time in seconds since 1970: this run has no time limit; "
      "--time-limit sets one");
}
