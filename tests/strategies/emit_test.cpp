#include "strategies/passes/emit.h"

#include "catch.h"
#include "compiled.h"
#include "strategies/compile.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

/// Runs both halves of backward separately, all weight gradients at the end, as zero-bubble schedules do.
std::vector<Work> weights_last(const Pipeline& pipeline, int) {
  std::vector<Work> order;
  for (int m = 0; m < pipeline.microbatches; ++m) order.push_back({Work::Kind::forward, 0, m});
  for (int m = 0; m < pipeline.microbatches; ++m) order.push_back({Work::Kind::backward_input, 0, m});
  for (int m = 0; m < pipeline.microbatches; ++m) order.push_back({Work::Kind::backward_weight, 0, m});
  return order;
}

program::Plan plan_of(Schedule schedule, int stages, int microbatches, int data = 1) {
  const std::int64_t batch = 2 * data * microbatches;
  const graph::Graph graph = fashion_model("lenet", batch);
  const program::CostTable costs;
  StrategySpec spec;
  spec.mesh.stages = stages;
  spec.mesh.batch = data;
  spec.batch.microbatches = microbatches;
  spec.pipeline.schedule = schedule;
  program::Plan plan = compile({graph, batch, stages * data, graph::sgd({.momentum = 0.9f}), costs}, spec);
  program::complete(plan, costs);
  return plan;
}

std::size_t micro_batches_in_flight(const program::Plan& plan, int rank) {
  int now = 0, most = 0;
  for (const program::Instruction& instruction : plan.role(rank).train.bodies.front()) {
    const bool first_of_forward =
        instruction.phase == program::Phase::forward && instruction.name.rfind("conv", 0) == 0;
    const bool last_of_backward =
        instruction.phase == program::Phase::backward_weight && instruction.name.rfind("conv", 0) == 0;
    now += first_of_forward ? 1 : last_of_backward ? -1 : 0;
    most = std::max(most, now);
  }
  return static_cast<std::size_t>(most);
}

}  // namespace

TEST_CASE("neighbouring ranks that send to each other at the same time do not deadlock") {
  for (int stages = 1; stages <= 5; ++stages)
    for (int microbatches = 1; microbatches <= 9; ++microbatches) {
      INFO("p=" << stages << " m=" << microbatches);
      CHECK(findings(plan_of(find_schedule("1f1b").schedule, stages, microbatches)) == "");
    }
  CHECK(findings(plan_of(find_schedule("1f1b").schedule, 2, 4, 2)) == "");
}

TEST_CASE("the schedule determines how many micro-batches are in flight") {
  const program::Plan alternating = plan_of(find_schedule("1f1b").schedule, 2, 6);
  CHECK(micro_batches_in_flight(alternating, 0) == 2);  // min(m, p−i)
  CHECK(micro_batches_in_flight(alternating, 1) == 1);
  const program::Plan all = plan_of(find_schedule("gpipe").schedule, 2, 6);
  CHECK(micro_batches_in_flight(all, 0) == 6);
  const auto activations_of = [](const program::Plan& plan) {
    return program::account(plan, 0).peak_bytes_by_class[static_cast<std::size_t>(program::MemoryClass::activations)];
  };
  const auto of_one = activations_of(all) - activations_of(plan_of(find_schedule("gpipe").schedule, 2, 5));
  CHECK(of_one > 0);
  CHECK(activations_of(all) - activations_of(alternating) == 4 * of_one);
}

TEST_CASE("only the stages that are named recompute") {
  const auto recomputed_by_rank = [](const Integers& stages) {
    const program::Plan plan =
        compiled("gpipe", 2, 48,
                 {{"microbatches", std::int64_t{4}}, {"recompute", Strings{"full"}}, {"recompute_stages", stages}});
    std::vector<bool> recomputes;
    for (int rank = 0; rank < 2; ++rank) {
      const auto& body = plan.role(rank).train.bodies.front();
      recomputes.push_back(std::any_of(body.begin(), body.end(), [](const program::Instruction& instruction) {
        return instruction.phase == program::Phase::recompute;
      }));
    }
    return recomputes;
  };
  CHECK(recomputed_by_rank({}) == std::vector<bool>{true, true});
  CHECK(recomputed_by_rank({0}) == std::vector<bool>{true, false});
  CHECK(recomputed_by_rank({1}) == std::vector<bool>{false, true});
}

TEST_CASE("the halves of backward may run separately") {
  for (int stages = 1; stages <= 4; ++stages) CHECK(findings(plan_of(weights_last, stages, 3)) == "");
}
