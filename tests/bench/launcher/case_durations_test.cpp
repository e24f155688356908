#include "bench/launcher/case_durations.h"

#include "catch.h"

using ddlbench::bench::CaseDurations;

TEST_CASE("durations follow the work of cases") {
  CaseDurations durations({{"0", 1e9}, {"1", 2e9}, {"2", 4e9}, {"3", 0}});
  CHECK_FALSE(durations.expected("0").has_value());
  durations.note("0", 3);
  CHECK(*durations.expected("1") == Approx(6));  // one case does not tell work from set-up
  durations.note("1", 5);
  CHECK(*durations.expected("2") == Approx(9));
  CHECK(*durations.expected("3") == Approx(1));  // set-up alone
}

TEST_CASE("durations of cases of equal work are their mean") {
  CaseDurations durations({{"0", 1e9}, {"1", 1e9}, {"2", 1e9}});
  durations.note("0", 3);
  durations.note("1", 5);
  CHECK(*durations.expected("2") == Approx(4));
}

TEST_CASE("more work is never expected to take less time") {
  CaseDurations durations({{"0", 1e9}, {"1", 2e9}, {"2", 3e9}});
  durations.note("0", 9);
  durations.note("1", 3);
  CHECK(*durations.expected("2") == Approx(6));
}

TEST_CASE("without known work, a case is expected to take as long as the others did") {
  CaseDurations durations({});
  durations.note("0", 3);
  durations.note("1", 5);
  CHECK(*durations.expected("2") == Approx(4));
}

TEST_CASE("the time of several cases is the sum of their times") {
  CaseDurations durations({{"0", 1e9}, {"1", 2e9}, {"2", 4e9}});
  CaseDurations::Cases cases;
  for (const char* id : {"1", "2", "unknown"}) cases.add(durations.one(id), 1);
  CHECK_FALSE(durations.expected(cases).has_value());
  durations.note("0", 3);
  durations.note("1", 5);
  CHECK(*durations.expected(cases) == Approx(5 + 9 + 4));
  cases.add(durations.one("2"), -1);
  CHECK(*durations.expected(cases) == Approx(5 + 4));
}
