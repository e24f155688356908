#include "graph/ops/batch_norm.h"

#include "catch.h"
#include "compiled.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

graph::Graph resnet(std::int64_t samples_per_statistic) {
  const workloads::ModelKind& kind = workloads::find_model("resnet18");
  const OptionValues options{{"samples_per_statistic", samples_per_statistic}};
  return kind.build({{{{3, 32, 32}, graph::DType::f32}, {}, 10}, 48, with_defaults(kind.options, options)});
}

program::Plan plan_for(const graph::Graph& model, const std::string& strategy, int ranks) {
  const StrategyKind& kind = find_strategy(strategy);
  const program::CostTable costs;
  program::Plan plan =
      kind.compile({model, model.batch(), ranks, graph::sgd({}), costs}, {{"microbatches", std::int64_t{1}}});
  program::complete(plan, costs);
  return plan;
}

std::int64_t batch_norm_channels(const graph::Graph& graph) {
  std::int64_t channels = 0;
  for (const graph::Node& node : graph.nodes)
    if (node.op->kind() == "batch_norm")
      channels += graph.tensors[static_cast<std::size_t>(node.inputs[0])].type.shape[1];
  return channels;
}

int combinations(const program::Plan& plan) {
  int count = 0;
  for (const program::Instruction& instruction : plan.roles.front().train.bodies.front())
    if (const auto* compute = std::get_if<program::Compute>(&instruction.action))
      count += compute->op->kind() == "combine_moments" ? 1 : 0;
  return count;
}

}  // namespace

// For c channels of batch norm, summed over all n ranks: forward sends an all-gather of 4 numbers per channel from each
// rank, n(n−1) · 16c bytes; backward an all-reduce of 2 numbers per channel, 2(n−1) · 8c bytes.
TEST_CASE("moments over the whole batch are all-gathered, not all-reduced", "[N1]") {
  const graph::Graph model = resnet(0);
  const std::int64_t channels = batch_norm_channels(model), parameters = model.parameter_elements();
  for (const int n : {2, 3, 4}) {
    INFO(n << " ranks");
    const program::Plan plan = plan_for(model, "ddp", n);
    CHECK(findings(plan) == "");
    CHECK(combinations(plan) == 20);
    CHECK(sent_by_all(plan) ==
          std::map<std::string, std::int64_t>{{"all_gather", n * (n - 1) * 16 * channels},
                                              {"all_reduce", 2 * (n - 1) * (8 * channels + 4 * parameters)}});
  }
}

TEST_CASE("moments are not combined on one data rank or where each rank holds whole groups", "[N1]") {
  CHECK(combinations(plan_for(resnet(0), "single", 1)) == 0);
  CHECK(combinations(plan_for(resnet(0), "tensor", 2)) == 0);
  CHECK(combinations(plan_for(resnet(0), "gpipe", 2)) == 0);
  const program::Plan groups = plan_for(resnet(12), "ddp", 4);
  CHECK(combinations(groups) == 0);
  CHECK(sent_by_all(groups).count("all_gather") == 0);
}
