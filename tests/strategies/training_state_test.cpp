#include "catch.h"
#include "compiled.h"

using namespace ddlbench;
using namespace ddlbench::strategies;
using program::MemoryClass;

namespace {

program::Plan zero(const graph::Graph& model, const graph::Optimizer& optimizer) {
  const StrategyKind& kind = find_strategy("zero");
  const program::CostTable costs;
  program::Plan plan = kind.compile({model, 48, 2, optimizer, costs}, {});
  program::complete(plan, costs);
  return plan;
}

graph::Graph normed(std::int64_t batch) {
  const workloads::ModelKind& kind = workloads::find_model("resnet18");
  return kind.build({{{{3, 64, 64}, graph::DType::f32}, {}, 10}, batch, with_defaults(kind.options, {})});
}

/// Returns how many segments of the plan's LARS updates are exempt, and how many segments there are.
std::pair<int, int> exempt_segments(const program::Plan& plan) {
  std::pair<int, int> found{0, 0};
  for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
    const auto* compute = std::get_if<program::Compute>(&instruction.action);
    const auto* update = compute == nullptr ? nullptr : dynamic_cast<const graph::UpdateOp*>(compute->op.get());
    if (update == nullptr || dynamic_cast<const graph::LarsUpdate*>(update) == nullptr) continue;
    for (const graph::UpdateSegment& segment : update->site.segments) {
      found.first += segment.exempt ? 1 : 0;
      ++found.second;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("masters begin with the initial weights, and statistics with the values of the model") {
  const program::Plan plan = zero(graph::in_precision(normed(48), graph::DType::bf16), graph::sgd({.momentum = 0.9F}));
  int masters = 0, variances = 0;
  for (const program::StateShard& shard : plan.role(0).state) {
    INFO(shard.tensor);
    if (shard.tensor.ends_with(".master")) {
      ++masters;
      CHECK(shard.drawn_as + ".master" == shard.tensor);
    }
    if (shard.tensor.ends_with(".momentum")) CHECK(shard.drawn_as.empty());
    if (shard.tensor.ends_with(".running_var")) {
      ++variances;
      CHECK(shard.drawn_as == shard.tensor);
      CHECK(shard.initializer.a == 1);
    }
  }
  CHECK(masters > 20);
  CHECK(variances == 20);
}

TEST_CASE("LARS gives vectors layer-wise rates unless they are exempt") {
  const graph::Graph model = fashion_model("lenet", 48);
  const auto [exempt, all] = exempt_segments(zero(model, graph::lars({.momentum = 0.9F, .exempts_vectors = true})));
  CHECK(all >= 5);
  CHECK(exempt > 0);
  CHECK(exempt < all);
  CHECK(exempt_segments(zero(model, graph::lars({.momentum = 0.9F}))) == std::pair{0, all});
}
