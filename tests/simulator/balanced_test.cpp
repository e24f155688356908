#include "catch.h"
#include "plans.h"
#include "program/budget.h"
#include "simulator/simulate.h"

using namespace ddlbench;
using namespace ddlbench::simulator;

namespace {

constexpr double seconds_per_sample = 1e-3;

/// Returns costs such that a layer takes `seconds_per_sample` for each sample, forward and for each gradient, and all
/// else nothing.
program::CostTable costs_by_sample(const program::Plan& plan) {
  program::CostTable costs = test::even_costs(plan);
  for (const program::Role& role : plan.roles)
    for (const program::Instruction& instruction : role.train.bodies.front()) {
      const auto* compute = std::get_if<program::Compute>(&instruction.action);
      if (compute == nullptr || compute->op->kind().substr(0, 6) != "linear") continue;
      const auto samples = static_cast<double>(compute->inputs.front().type.shape.front());
      costs.insert(cost_key(*compute), {samples * seconds_per_sample, 0});
    }
  return costs;
}

/// Simulates a step in which the last rank computes `slowdown` times as long as the others.
Simulation with_slow_rank(const program::Plan& plan, double slowdown) {
  Cluster cluster = one_host(plan.ranks(), plan.ranks(), 1, {});
  cluster.slowdown_of_rank.assign(static_cast<std::size_t>(plan.ranks()), 1);
  cluster.slowdown_of_rank.back() = slowdown;
  return simulate(plan, costs_by_sample(plan), cluster, {});
}

double step_seconds(const std::string& strategy, std::int64_t batch, const Integers& speeds, double slowdown) {
  const OptionValues options = strategy == "balanced" ? OptionValues{{"speeds", speeds}} : OptionValues{};
  const auto plan = test::compiled(strategy, static_cast<int>(speeds.size()), batch, 3, options);
  return with_slow_rank(plan, slowdown).step_seconds;
}

}  // namespace

// With equal shares, 2 ranks of speeds 1 and 1/2 need (B / 2) / (1/2) = B; in proportion they need B / 1.5.
TEST_CASE("balanced has the ideal gain over ddp where one of two ranks is half as fast") {
  CHECK(step_seconds("ddp", 48, {2, 1}, 2) / step_seconds("balanced", 48, {2, 1}, 2) == Approx(1.5));
  const program::Plan plan = test::compiled("balanced", 2, 48, 3, {{"speeds", Integers{2, 1}}});
  for (const program::Budget& budget : program::split(plan, with_slow_rank(plan, 2).timelines()))
    CHECK(budget.bubble == Approx(0).margin(1e-9));
}

// n ranks, of which one is s times as slow: s · B / n with equal shares, B / (n − 1 + 1/s) in proportion.
TEST_CASE("balanced has at least 90 % of the ideal gain where the batch does not divide in proportion") {
  for (const std::int64_t batch : {60, 120})
    for (const int ranks : {2, 3, 4})
      for (const std::int64_t slowdown : {2, 3, 5}) {
        INFO(ranks << " ranks, one " << slowdown << " times as slow, batch " << batch);
        Integers speeds(static_cast<std::size_t>(ranks), slowdown);
        speeds.back() = 1;
        const auto slow = static_cast<double>(slowdown);
        const double gain = step_seconds("ddp", batch, speeds, slow) / step_seconds("balanced", batch, speeds, slow);
        CHECK(gain >= 0.9 * slow / ranks * (ranks - 1 + 1 / slow));
      }
}
