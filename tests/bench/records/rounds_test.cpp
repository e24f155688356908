#include "bench/records/rounds.h"

#include <cmath>

#include "../visit_fixtures.h"
#include "catch.h"

using namespace ddlbench::bench;
using ddlbench::test::add_rounds;
using ddlbench::test::visit;

TEST_CASE("a round's time is the geometric mean of its visits") {
  const Rounds rounds({visit("a", 1, 1), visit("a", 1, 4), visit("a", 2, 3), visit("a", 2, 3)});
  const auto times = rounds.log_seconds({"a", false});
  REQUIRE(times.size() == 2);
  CHECK(std::exp(times.at(1)) == Approx(2e-3));
  CHECK(std::exp(times.at(2)) == Approx(3e-3));
  CHECK(rounds.log_seconds({"a", true}).empty());
}

TEST_CASE("rounds without all visits do not count") {
  std::vector<VisitRecord> visits;
  add_rounds(visits, "a", {1, 1, 1});
  add_rounds(visits, "b", {2, 4, 8});
  visits.pop_back();                   // the second visit of b in round 3
  visits[8].status = Status::crashed;  // b's first visit of round 2
  const auto ratios = Rounds(visits).log_ratios({"a", false}, {"b", false});
  REQUIRE(ratios.size() == 1);
  CHECK(ratios[0] == Approx(std::log(2)));
}

TEST_CASE("a round whose visits all ran at once needs one visit of each case") {
  std::vector<VisitRecord> visits{visit("a", 1, 1), visit("b", 1, 2), visit("a", 2, 1), visit("b", 2, 4),
                                  visit("a", 2, 1)};
  for (VisitRecord& one : visits) one.time_slice_seconds = 0.05;
  visits[3].time_slice_seconds.reset();  // so round 2 needs two
  const Rounds rounds(visits);
  CHECK(rounds.log_times({"a", false}).size() == 2);
  const auto ratios = rounds.log_ratios({"a", false}, {"b", false});
  REQUIRE(ratios.size() == 1);
  CHECK(ratios[0] == Approx(std::log(2)));
}
