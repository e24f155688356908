#include <algorithm>

#include "catch.h"
#include "compiled.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

/// Computes the maximum of each column over the batch, so that a rank with a part of the batch has a partial maximum.
struct ColumnMaximum final : graph::Op {
  std::string_view kind() const override { return "column_maximum"; }
  std::vector<graph::TensorType> infer(graph::Types inputs) const override {
    return {{{inputs[0].shape[1]}, inputs[0].dtype}};
  }
  double flops(graph::Types, graph::Types) const override { return 0; }
  std::vector<graph::Signature> signatures(graph::Types) const override {
    return {{{graph::sharded(0)}, {{graph::Placement::Kind::partial_max, 0, 1}}}};
  }
};

/// Divides each row by one value per column.
struct Divide final : graph::Op {
  std::string_view kind() const override { return "divide"; }
  std::vector<graph::TensorType> infer(graph::Types inputs) const override { return {inputs[0]}; }
  double flops(graph::Types, graph::Types) const override { return 0; }
  std::vector<graph::Signature> signatures(graph::Types) const override {
    return {{{graph::sharded(0), graph::replicated()}, {graph::sharded(0)}}};
  }
};

/// Returns a perceptron whose input is divided by its column maxima over the whole batch.
graph::Graph scaled_model(std::int64_t batch) {
  const workloads::ModelKind& mlp = workloads::find_model("mlp");
  graph::Graph model = mlp.build({{{{8}, graph::DType::f32}, {}, 8}, batch, {{"hidden", Integers{8}}}});
  const auto input = model.with_role(graph::Role::input).at(0);
  const std::size_t nodes = model.nodes.size();
  const auto maxima = model.add("maxima", std::make_shared<ColumnMaximum>(), {input}).at(0);
  const auto scaled = model.add("scaled", std::make_shared<Divide>(), {input, maxima}).at(0);
  for (std::size_t i = 0; i < nodes; ++i)
    std::replace(model.nodes[i].inputs.begin(), model.nodes[i].inputs.end(), input, scaled);
  std::rotate(model.nodes.begin(), model.nodes.begin() + static_cast<std::ptrdiff_t>(nodes), model.nodes.end());
  return model;
}

}  // namespace

TEST_CASE("a partial maximum is reduced by a maximum over ranks, a partial sum by a sum") {
  const graph::Graph model = scaled_model(12);
  const StrategyKind& ddp = find_strategy("ddp");
  const program::CostTable costs;
  program::Plan plan = ddp.compile({model, 12, 3, graph::sgd({.momentum = 0.9f}), costs}, {});
  program::complete(plan, costs);
  CHECK(findings(plan) == "");
  int maxima = 0, sums = 0;
  for (const program::Instruction& instruction : plan.roles[0].train.bodies.front()) {
    const auto* call = std::get_if<program::CollectiveCall>(&instruction.action);
    if (call == nullptr) continue;
    const bool of_maxima = instruction.name.find("maxima") != std::string::npos;
    CHECK(call->reduction == (of_maxima ? graph::Reduction::max : graph::Reduction::sum));
    of_maxima ? ++maxima : ++sums;
  }
  CHECK(maxima == 1);
  CHECK(sums > 0);
}
