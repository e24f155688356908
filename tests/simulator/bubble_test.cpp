#include "catch.h"
#include "plans.h"
#include "program/budget.h"
#include "simulator/simulate.h"

using namespace ddlbench;
using namespace ddlbench::simulator;

namespace {

/// A core for each rank, and links that cost nothing.
Cluster free_cluster(int ranks) {
  return one_host(ranks, ranks, 1, {});
}

constexpr double nanosecond = 1e-9;

/// What every rank idles in a step of p stages and m micro-batches, forward 1 ms and backward 2 ms each.
void check_bubble(const std::string& strategy, int p, int m, Issue issue) {
  INFO(strategy << " p=" << p << " m=" << m << (issue == Issue::thread ? " thread" : " streams"));
  const program::Plan plan = test::compiled(strategy, p, m, p, {{"microbatches", std::int64_t{m}}});
  Options options;
  options.issue = issue;
  const Simulation simulation = simulate(plan, test::even_costs(plan), free_cluster(p), options);
  CHECK(simulation.step_seconds == Approx(3e-3 * (m + p - 1)).margin(nanosecond));
  for (const program::Budget& budget : program::split(plan, simulation.timelines)) {
    CHECK(budget.bubble == Approx(3e-3 * (p - 1)).margin(nanosecond));
    CHECK(budget.bubble / budget.total == Approx((p - 1.0) / (m + p - 1)));
    CHECK(budget.communication == Approx(0).margin(nanosecond));
    CHECK(budget.forward == Approx(1e-3 * m).margin(nanosecond));
    CHECK(budget.backward == Approx(2e-3 * m).margin(nanosecond));
    CHECK(budget.rest == Approx(0).margin(nanosecond));
  }
}

}  // namespace

// The formula takes backward for one piece, whose end the stage before waits for.
TEST_CASE("equal stages of a flush pipeline idle (p-1)/(m+p-1) of the step") {
  for (const Issue issue : {Issue::thread, Issue::streams}) {
    for (int p = 1; p <= 8; ++p) {
      for (int m = 1; m <= 32; ++m) check_bubble("gpipe", p, m, issue);
    }
  }
}

TEST_CASE("a gradient leaves before its layer's weight is seen to, and the bubble is smaller for it") {
  const program::Plan plan = test::compiled("gpipe", 4, 8, 4, {{"microbatches", std::int64_t{8}}});
  const Simulation simulation = simulate(plan, test::even_costs(plan, 1e-3), free_cluster(4));
  CHECK(simulation.step_seconds == Approx(1e-3 * (3 * 8 + 2 * 3)));
}
