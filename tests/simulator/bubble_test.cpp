#include "catch.h"
#include "plans.h"
#include "program/budget.h"
#include "simulator/simulate.h"

using namespace ddlbench;
using namespace ddlbench::simulator;

namespace {

/// A cluster with a core for each rank and links that cost nothing.
Cluster free_cluster(int ranks) {
  return one_host(ranks, ranks, 1, {});
}

constexpr double nanosecond = 1e-9;

/// Checks the idle time of every rank in a step of p stages and m micro-batches, 1 ms forward and 2 ms backward each.
void check_bubble(const std::string& strategy, int p, int m, Issue issue) {
  INFO(strategy << " p=" << p << " m=" << m << (issue == Issue::thread ? " thread" : " streams"));
  const program::Plan plan = test::compiled(strategy, p, m, p, {{"microbatches", std::int64_t{m}}});
  Options options;
  options.issue = issue;
  const Simulation simulation = simulate(plan, test::even_costs(plan), free_cluster(p), options);
  CHECK(simulation.step_seconds == Approx(3e-3 * (m + p - 1)).margin(nanosecond));
  for (const program::Budget& budget : program::split(plan, simulation.timelines())) {
    CHECK(budget.bubble == Approx(3e-3 * (p - 1)).margin(nanosecond));
    CHECK(budget.bubble / budget.total() == Approx((p - 1.0) / (m + p - 1)));
    CHECK(budget.communication == Approx(0).margin(nanosecond));
    CHECK(budget.forward == Approx(1e-3 * m).margin(nanosecond));
    CHECK(budget.backward == Approx(2e-3 * m).margin(nanosecond));
    CHECK(budget.rest == Approx(0).margin(nanosecond));
  }
}

}  // namespace

// The formula treats backward as one piece, at whose end the previous stage can start.
TEST_CASE("equal stages of a flush pipeline idle (p-1)/(m+p-1) of the step") {
  for (const char* strategy : {"gpipe", "1f1b"}) {
    for (const Issue issue : {Issue::thread, Issue::streams}) {
      for (int p = 1; p <= 8; ++p) {
        for (int m = 1; m <= 32; ++m) check_bubble(strategy, p, m, issue);
      }
    }
  }
}

TEST_CASE("interleaving divides a pipeline's idle time by the number of chunks if p divides m") {
  for (const Issue issue : {Issue::thread, Issue::streams}) {
    for (int p = 2; p <= 8; ++p) {
      for (const int v : {2, 3}) {
        for (int m = p; m <= 32; m += p) {
          INFO("p=" << p << " v=" << v << " m=" << m << (issue == Issue::thread ? " thread" : " streams"));
          const program::Plan plan = test::compiled("interleaved", p, m, p * v,
                                                    {{"microbatches", std::int64_t{m}}, {"chunks", std::int64_t{v}}});
          Options options;
          options.issue = issue;
          const Simulation simulation = simulate(plan, test::even_costs(plan), free_cluster(p), options);
          const double ideal = 3e-3 * v * m;
          CHECK((simulation.step_seconds - ideal) / ideal == Approx((p - 1.0) / (v * m)));
        }
      }
    }
  }
}

TEST_CASE("an interleaved pipeline does not stall for any number of stages and micro-batches") {
  for (int p = 1; p <= 8; ++p) {
    for (int m = 1; m <= 32; ++m) {
      INFO("p=" << p << " m=" << m);
      const program::Plan plan =
          test::compiled("interleaved", p, m, p * 2, {{"microbatches", std::int64_t{m}}, {"chunks", std::int64_t{2}}});
      Options options;
      options.issue = Issue::streams;
      CHECK_NOTHROW(simulate(plan, test::even_costs(plan), free_cluster(p), options));
    }
  }
}

TEST_CASE("on streams a gradient is sent before the weight's gradient is computed, and the bubble is smaller") {
  const program::Plan plan = test::compiled("gpipe", 4, 8, 4, {{"microbatches", std::int64_t{8}}});
  const program::CostTable halves = test::even_costs(plan, 1e-3);
  const auto step = [&](Issue issue) {
    Options options;
    options.issue = issue;
    return simulate(plan, halves, free_cluster(4), options).step_seconds;
  };
  const double formula = 3e-3 * (8 + 3);
  CHECK(step(Issue::thread) == Approx(formula));
  CHECK(step(Issue::streams) < formula - 0.5e-3);
}

TEST_CASE("without flush, equal stages do not wait once the pipeline is full") {
  for (const int p : {2, 4, 8})
    for (const std::int64_t m : {1, 3, 8}) {
      INFO("p=" << p << " m=" << m);
      const program::Plan plan = test::compiled("pipedream", p, m, p, {{"microbatches", m}});
      for (const int steps : {2, 20}) {
        Options options;
        options.steps.count = steps;
        CHECK(simulate(plan, test::even_costs(plan), free_cluster(p), options).step_seconds ==
              Approx(3e-3 * static_cast<double>(m)));
      }
    }
}
