#include "plans.h"

#include "program/actions.h"

namespace ddlbench::test {

using namespace program;

namespace {

constexpr double layer_seconds = 1e-3;

double seconds_of(const Instruction& instruction, const Compute& compute, double weight_half) {
  if (compute.op->kind().substr(0, 6) != "linear") return 0;
  if (instruction.phase == Phase::forward) return layer_seconds;
  if (instruction.phase == Phase::backward_input) return 2 * layer_seconds - weight_half;
  const bool first = compute.inputs.at(0).type.shape.back() == 15 || compute.inputs.at(1).type.shape.back() == 15;
  return first ? 2 * layer_seconds : weight_half;
}

}  // namespace

graph::Graph even_mlp(int layers, std::int64_t batch) {
  const workloads::ModelKind& kind = workloads::find_model("mlp");
  const Integers hidden(static_cast<std::size_t>(layers - 1), 16);
  return kind.build(
      {{{{1, 3, 5}, graph::DType::f32}, {}, 16}, batch, with_defaults(kind.options, {{"hidden", hidden}})});
}

Plan compiled(const std::string& strategy, int ranks, std::int64_t batch, int layers, const OptionValues& options) {
  const graph::Graph graph = even_mlp(layers, batch);
  const strategies::StrategyKind& kind = strategies::find_strategy(strategy);
  const CostTable unknown;
  Plan plan = kind.compile({graph, batch, ranks, graph::sgd({.momentum = 0.9F}), unknown}, options);
  complete(plan, unknown);
  return plan;
}

CostTable even_costs(const Plan& plan, double weight_half, bool collectives) {
  CostTable costs;
  for (const Role& role : plan.roles) {
    for (const Instructions* section : sections(role.train))
      for (const Instruction& instruction : *section) {
        if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
          costs.insert(cost_key(*compute), {seconds_of(instruction, *compute, weight_half), 0});
        }
        const CollectiveCall* call = collective(instruction.action);
        if (call != nullptr && collectives) {
          costs.insert(cost_key(*call, member_count(call->group, plan.meshes)), {0, 0});
        }
      }
  }
  return costs;
}

}  // namespace ddlbench::test
