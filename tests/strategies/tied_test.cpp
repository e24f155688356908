#include <algorithm>
#include <memory>
#include <numeric>

#include "catch.h"
#include "compiled.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/shape.h"
#include "strategies/compile.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

constexpr std::int64_t width = 8, vector_batch = 24;

/// Returns a model of layers of equal width. Layer i uses the weight of layer `weight_of[i]`, its own where that is i.
/// With `skips`, each layer adds the result of the first.
graph::Graph layers(const std::vector<std::size_t>& weight_of, bool skips) {
  graph::Graph g;
  g.name = "layers";
  const auto x = g.add_tensor({"x", {{vector_batch, width}, graph::DType::f32}, graph::Role::input});
  const auto labels = g.add_tensor({"labels", {{vector_batch}, graph::DType::i32}, graph::Role::label});
  std::vector<graph::TensorId> weights;
  for (std::size_t layer = 0; layer < weight_of.size(); ++layer)
    weights.push_back(weight_of[layer] < layer ? weights[weight_of[layer]]
                                               : g.add_tensor({"fc" + std::to_string(layer) + ".weight",
                                                               {{width, width}, graph::DType::f32},
                                                               graph::Role::parameter,
                                                               {graph::Initializer::Kind::normal, 0, 0.3F}}));
  const auto linear = std::make_shared<graph::Linear>(false, graph::Activation::none);
  const graph::TensorId first = g.add("fc0", linear, {x, weights[0]})[0];
  graph::TensorId last = first;
  for (std::size_t layer = 1; layer < weights.size(); ++layer) {
    last = g.add("fc" + std::to_string(layer), linear, {last, weights[layer]})[0];
    if (skips) last = g.add("skip" + std::to_string(layer), std::make_shared<graph::Add>(), {last, first})[0];
  }
  const auto metrics = g.add("loss", std::make_shared<graph::CrossEntropy>(), {last, labels});
  for (const auto metric : metrics) g.tensors[static_cast<std::size_t>(metric)].role = graph::Role::metric;
  return g;
}

/// Returns a model of `count` layers; with `tied`, the last layer uses the weight of the first.
graph::Graph layers(std::size_t count, bool tied, bool skips) {
  std::vector<std::size_t> weight_of(count);
  std::iota(weight_of.begin(), weight_of.end(), 0);
  if (tied) weight_of.back() = 0;
  return layers(weight_of, skips);
}

program::Plan tied_plan(const graph::Graph& graph, StrategySpec spec) {
  const program::CostTable costs;
  const int ranks = spec.mesh.mesh().size();
  program::Plan plan = compile({graph, vector_batch, ranks, graph::sgd({.momentum = 0.9f}), costs}, spec);
  program::complete(plan, costs);
  return plan;
}

}  // namespace

TEST_CASE("tied weights and skip connections cross stages under every schedule") {
  for (const ScheduleKind& kind : schedules())
    for (const bool tied : {false, true})
      for (const bool skips : {false, true})
        for (const int ranks : {1, 2, 3, 4})
          for (const int data : {1, 2})
            for (const int zero : {0, 1, 2, 3}) {
              if (data == 1 && zero > 0) continue;
              INFO(kind.name << " on " << ranks << " x " << data << " tied " << tied << " skips " << skips << " zero "
                             << zero);
              StrategySpec spec;
              spec.mesh.stages = ranks;
              spec.mesh.batch = data;
              spec.batch.microbatches = 3;
              spec.pipeline = pipeline_of(kind, 2);
              spec.state.stage = zero;
              CHECK(findings(tied_plan(layers(8, tied, skips), spec)) == "");
            }
}

// Both holders send 2(n−1)/n·S of the weight's gradient, and activations and gradients cross 3 stage boundaries.
TEST_CASE("the gradient of a tied weight is summed over its holders only") {
  StrategySpec spec;
  spec.mesh.stages = 4;
  spec.batch.microbatches = 2;
  spec.pipeline.schedule = find_schedule("1f1b").schedule;
  const program::Plan plan = tied_plan(layers(8, true, false), spec);
  constexpr std::int64_t weight = width * width * 4, boundary = vector_batch * width * 4;
  CHECK(sent_by_all(plan) == std::map<std::string, std::int64_t>{{"all_reduce", 2 * weight}, {"send", 6 * boundary}});
  CHECK(program::account(plan, 0).sent_bytes.at("all_reduce") == 256);
  CHECK(program::account(plan, 1).sent_bytes.count("all_reduce") == 0);
}

// In a V shape the first and the last layer are on rank 0, in two stages.
TEST_CASE("the gradients of a tied weight of two stages of a rank are summed in place") {
  const auto sums_of = [](const char* kind) {
    StrategySpec spec;
    spec.mesh.stages = 2;
    spec.batch.microbatches = 4;
    spec.pipeline = pipeline_of(find_schedule(kind), 2);
    const program::Plan plan = tied_plan(layers(8, true, false), spec);
    const auto& body = plan.role(0).train.bodies.front();
    return std::count_if(body.begin(), body.end(), [](const program::Instruction& instruction) {
      const auto* compute = std::get_if<program::Compute>(&instruction.action);
      return compute != nullptr && compute->op->kind() == "add";
    });
  };
  CHECK(sums_of("zb_v") == 0);
  CHECK(sums_of("hanayo") == 0);
}

TEST_CASE("the tensor of a skip connection is sent once to each rank that uses it") {
  StrategySpec spec;
  spec.mesh.stages = 2;
  spec.batch.microbatches = 2;
  spec.pipeline.schedule = find_schedule("gpipe").schedule;
  constexpr std::int64_t boundary = vector_batch * width * 4;
  CHECK(sent_by_all(tied_plan(layers(4, false, false), spec)).at("send") == 2 * boundary);
  // The skip's tensor is sent forward too, and its gradient backward: one message with the sum over the additions after
  // the boundary.
  const std::int64_t with_skips = sent_by_all(tied_plan(layers(4, false, true), spec)).at("send");
  CHECK(with_skips == 4 * boundary);
}

// Ranks have their copies in different orders in memory, but must all reduce them in the same order.
TEST_CASE("all ranks reduce several tied parameters in the same order") {
  StrategySpec spec;
  spec.batch.microbatches = 2;
  for (const int ranks : {2, 3, 4})
    for (const ScheduleKind& kind : schedules()) {
      INFO(kind.name << " on " << ranks);
      spec.mesh.stages = ranks;
      spec.pipeline = pipeline_of(kind, 2);
      if (spec.timing().stages() <= 6) CHECK(findings(tied_plan(layers({0, 1, 1, 0, 0, 1}, false), spec)) == "");
      CHECK(findings(tied_plan(layers({0, 1, 2, 1, 0, 2, 1, 0}, true), spec)) == "");
    }
}

TEST_CASE("stages of several ranks share weights and send skip connections") {
  StrategySpec spec;
  spec.batch.microbatches = 6;
  for (const std::vector<int>& counts : {std::vector{3, 1}, {1, 3}, {2, 1, 2}}) {
    spec.mesh.stages = std::accumulate(counts.begin(), counts.end(), 0);
    for (const char* schedule : {"gpipe", "1f1b"}) {
      spec.pipeline = pipeline_of(find_schedule(schedule), 2);
      spec.pipeline.ranks_per_stage = counts;
      for (const bool skips : {false, true}) CHECK(findings(tied_plan(layers(8, true, skips), spec)) == "");
    }
  }
}

TEST_CASE("without flush, the ranks of a stage can share weights, but stages cannot") {
  StrategySpec spec;
  spec.batch.microbatches = 6;
  spec.pipeline = pipeline_of(find_schedule("1f1b"), 2);
  spec.pipeline.flushes = false;
  spec.mesh.stages = 3;
  spec.pipeline.ranks_per_stage = {1, 2};
  const program::Plan plan = tied_plan(layers({0, 1, 2, 2}, false), spec);  // the last two layers are a stage
  CHECK(findings(plan) == "");
  CHECK(plan.promise.kind == program::Promise::Kind::stale);
  CHECK_THROWS_WITH(tied_plan(layers(8, true, false), spec), Catch::Matchers::Contains("cannot share"));
}

// An op that computes the gradients of a weight and of a bias in one launch cannot accumulate in only one of them.
TEST_CASE("a tied weight's gradients are summed by a separate op where each comes with a bias gradient") {
  graph::Graph g;
  g.name = "biased";
  const auto x = g.add_tensor({"x", {{vector_batch, width}, graph::DType::f32}, graph::Role::input});
  const auto labels = g.add_tensor({"labels", {{vector_batch}, graph::DType::i32}, graph::Role::label});
  const auto weight = g.add_tensor({"weight", {{width, width}, graph::DType::f32}, graph::Role::parameter});
  graph::TensorId last = x;
  for (const std::string name : {"fc0", "fc1"}) {
    const auto bias = g.add_tensor({name + ".bias", {{width}, graph::DType::f32}, graph::Role::parameter});
    last = g.add(name, std::make_shared<graph::Linear>(true, graph::Activation::none), {last, weight, bias})[0];
  }
  for (const auto metric : g.add("loss", std::make_shared<graph::CrossEntropy>(), {last, labels}))
    g.tensors[static_cast<std::size_t>(metric)].role = graph::Role::metric;
  const program::Plan plan = tied_plan(g, {});
  CHECK(findings(plan) == "");
  int sums = 0;
  for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
    const auto* compute = std::get_if<program::Compute>(&instruction.action);
    if (compute != nullptr && compute->op->kind() == "add") ++sums;
  }
  CHECK(sums == 1);
}
