#include "bench/records/paired_verdicts.h"

#include <cmath>

#include "../visit_fixtures.h"
#include "catch.h"

using namespace ddlbench::bench;
using ddlbench::test::add_rounds;

namespace {

/// Four rounds in which the machine's speed changes by a factor of three, and so do all cases alike.
std::vector<VisitRecord> drifting() {
  std::vector<VisitRecord> visits;
  add_rounds(visits, "fast", {1.000, 2.001, 2.998, 1.501});
  add_rounds(visits, "twin", {1.001, 2.000, 3.001, 1.500});
  add_rounds(visits, "slow", {1.100, 2.202, 3.301, 1.649});
  return visits;
}

}  // namespace

TEST_CASE("a drift that affects all cases alike does not widen ratios") {
  const PairedVerdicts verdicts(Rounds(drifting()), {"fast", "twin", "slow"}, 0.01, 1);
  const Interval ratio = verdicts.ratio("fast", "slow").value();
  CHECK(ratio.value == Approx(1.1).epsilon(2e-3));
  CHECK(ratio.low > 1.095);
  CHECK(ratio.high < 1.105);
  CHECK(verdicts.verdict("fast", "slow") == Verdict::faster);
  CHECK(verdicts.verdict("slow", "fast") == Verdict::slower);
  CHECK(verdicts.verdict("fast", "twin") == Verdict::same);
  CHECK(verdicts.verdict("fast", "fast") == Verdict::same);
  CHECK(verdicts.verdict("fast", "unknown") == Verdict::not_comparable);
  CHECK_FALSE(verdicts.ratio("fast", "unknown"));
  CHECK_FALSE(verdicts.control());
  CHECK(verdicts.margin() == Approx(0.01));
  const Interval reverse = verdicts.ratio("slow", "fast").value();
  CHECK(reverse.low == Approx(1 / ratio.high));
}

TEST_CASE("no difference is claimed that the baseline's copies show, too") {
  std::vector<VisitRecord> visits = drifting();
  add_rounds(visits, "fast", {1.15, 2.0, 3.3, 1.5}, true);
  const PairedVerdicts verdicts(Rounds(visits), {"fast", "twin", "slow"}, 0.01, 1);
  REQUIRE(verdicts.control());
  CHECK(verdicts.margin() > 0.1);
  CHECK(verdicts.verdict("fast", "slow") == Verdict::ambiguous);
}

TEST_CASE("a case without a complete round is not comparable") {
  std::vector<VisitRecord> visits = drifting();
  visits.push_back(ddlbench::test::visit("late", 1, 1));
  const PairedVerdicts verdicts(Rounds(visits), {"fast", "late"}, 0.01, 1);
  CHECK_FALSE(verdicts.contains("late"));
  CHECK(verdicts.verdict("fast", "late") == Verdict::not_comparable);
}
