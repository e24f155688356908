#include "bench/records/derived_tables.h"

#include "catch.h"

using namespace std::chrono_literals;
using ddlbench::bench::DerivedTables;

namespace {

/// A run of cases that take as long as `each`, whose tables take a millisecond for each row.
struct FakeRun {
  DerivedTables::Clock::time_point now{};
  DerivedTables::Clock::duration deriving{};
  int cases = 0, derived = 0, times = 0;
  DerivedTables tables{[this] {
                         ++times;
                         derived = cases;
                         now += cases * 1ms;
                         deriving += cases * 1ms;
                       },
                       [this] { return now; }};

  void end_cases(int count, DerivedTables::Clock::duration each) {
    for (int i = 0; i < count; ++i) {
      now += each;
      ++cases;
      tables.note_case();
    }
  }
};

}  // namespace

TEST_CASE("tables are derived after each of the first hundred cases, and after each that lasts", "[F13]") {
  FakeRun run;
  run.end_cases(100, 0ms);
  CHECK(run.times == 100);
  run.end_cases(1900, 60s);
  CHECK(run.times == 2000);
  CHECK(run.derived == 2000);
  run.tables.bring_up();
  CHECK(run.times == 2000);
}

TEST_CASE("deriving tables takes a share of a run of short cases, however many they are", "[F13]") {
  for (const int cases : {2000, 8000}) {
    FakeRun run;
    run.end_cases(100, 10ms);
    const auto of_the_first = run.deriving;
    run.end_cases(cases - 100, 10ms);
    CHECK(run.times > 100);
    CHECK(run.deriving - of_the_first < run.now.time_since_epoch() / 10 + cases * 1ms);
    CHECK(run.derived < cases);
    run.tables.bring_up();
    CHECK(run.derived == cases);
  }
}
