#include "catch.h"
#include "hand.h"
#include "plans.h"
#include "program/account.h"
#include "simulator/simulate.h"

using namespace ddlbench;
using namespace ddlbench::simulator;

namespace {

void check_bytes(const program::Plan& plan, const Simulation& simulation) {
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    INFO("rank " << rank);
    CHECK(simulation.sent_bytes[static_cast<std::size_t>(rank)] == program::account(plan, rank).sent_bytes);
  }
}

void check_strategy(const std::string& strategy, int ranks, const OptionValues& options = {}) {
  INFO(strategy << " on " << ranks);
  const program::Plan plan = test::compiled(strategy, ranks, 240, 6, options);
  check_bytes(plan, simulate(plan, test::even_costs(plan, 0, false), one_host(ranks, 2, 1, {1e-6, 1e9})));
}

OptionValues mesh(AxisSizes axes, std::int64_t microbatches) {
  return {{"mesh", std::move(axes)}, {"microbatches", microbatches}};
}

}  // namespace

TEST_CASE("bytes counted where messages leave match the account") {
  for (int ranks = 1; ranks <= 6; ++ranks) {
    check_strategy("ddp", ranks);
    check_strategy("tensor", ranks);
    for (const char* pipeline : {"gpipe", "1f1b", "interleaved"}) {
      if (2 * ranks <= 6) check_strategy(pipeline, ranks, {{"microbatches", std::int64_t{4}}});
    }
    for (const std::int64_t stage : {1, 2, 3}) {
      for (const std::int64_t microbatches : {1, 4}) {
        check_strategy("zero", ranks, {{"stage", stage}, {"microbatches", microbatches}});
      }
    }
  }
  check_strategy("hybrid", 4, mesh({{"data", 2}, {"pipeline", 2}}, 3));
  check_strategy("hybrid", 8, mesh({{"data", 2}, {"tensor", 2}, {"pipeline", 2}}, 2));
}

TEST_CASE("simulated and accounted bytes match for every collective and any number of members") {
  using graph::Collective;
  for (int ranks = 1; ranks <= 9; ++ranks) {
    test::Hand hand;
    const auto x = hand.buffer(100);
    std::vector<std::int64_t> even, uneven;
    for (int i = 0; i < ranks; ++i) even.push_back(3);
    for (int i = 0; i < ranks; ++i) uneven.push_back(i * i % 5);
    for (const collectives::Algorithm algorithm : collectives::algorithms(Collective::all_reduce))
      hand.all_reduce(algorithm.name(), x, algorithm);
    hand.collective("scatter", Collective::reduce_scatter, x, uneven);
    hand.collective("gather", Collective::all_gather, x, uneven);
    hand.collective("swap", Collective::all_to_all, x, even);
    hand.collective("tell", Collective::broadcast, x, {});
    const auto plan = test::replicated(hand, ranks);
    check_bytes(plan.plan, simulate(plan.plan, plan.costs, one_host(ranks, ranks, 1, {})));
  }
}

TEST_CASE("a simulation is reproducible") {
  const program::Plan plan = test::compiled("hybrid", 8, 24, 6, mesh({{"data", 2}, {"tensor", 2}, {"pipeline", 2}}, 4));
  const program::CostTable costs = test::even_costs(plan, 1e-3, false);
  const Cluster cluster = one_host(8, 3, 1, {1e-5, 1e8});
  const Simulation once = simulate(plan, costs, cluster);
  const Simulation again = simulate(plan, costs, cluster);
  CHECK(once.step_seconds == again.step_seconds);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    REQUIRE(once.timelines()[rank].spans.size() == again.timelines()[rank].spans.size());
    for (std::size_t i = 0; i < once.timelines()[rank].spans.size(); ++i) {
      CHECK(once.timelines()[rank].spans[i].end == again.timelines()[rank].spans[i].end);
    }
  }
}
