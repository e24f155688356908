#include <algorithm>

#include "catch.h"
#include "compiled.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/shape.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

constexpr int copied_layers = 8;
constexpr std::int64_t copied_width = 8, bytes_of_layer = (copied_width * copied_width + copied_width) * 4;

program::Plan plan_of(const char* schedule, int ranks, std::int64_t microbatches) {
  return compiled_layers(schedule, copied_layers, ranks, 24, {{"microbatches", microbatches}});
}

/// Returns the names of a rank's collectives of gradients.
std::vector<std::string> reductions(const program::Plan& plan, int rank) {
  std::vector<std::string> names;
  for (const program::Instruction& instruction : plan.role(rank).train.bodies.front())
    if (std::holds_alternative<program::CollectiveCall>(instruction.action)) names.push_back(instruction.name);
  return names;
}

std::size_t statistics_on(const program::Plan& plan, int rank) {
  const std::vector<program::StateShard>& state = plan.role(rank).state;
  return static_cast<std::size_t>(std::count_if(state.begin(), state.end(), [](const program::StateShard& shard) {
    return shard.memory_class == program::MemoryClass::statistics;
  }));
}

}  // namespace

TEST_CASE("both holders of a stage sum its gradients in one call, and have its parameters once") {
  for (const char* schedule : {"chimera", "gems"})
    for (const int ranks : {2, 4}) {
      INFO(schedule << " on " << ranks);
      const program::Plan plan = plan_of(schedule, ranks, 4);
      for (int rank = 0; rank < ranks; ++rank) {
        CHECK(reductions(plan, rank).size() == 2);
        CHECK(parameter_bytes(plan, rank) == 2 * bytes_of_layer * copied_layers / ranks);
      }
      CHECK(sent_by_all(plan).at("all_reduce") == 2 * bytes_of_layer * copied_layers);
    }
}

TEST_CASE("the rank in the middle runs a stage of both copies of the model with the same parameters") {
  const program::Plan plan = compiled_layers("chimera", 3, 3, 24, {{"microbatches", std::int64_t{3}}});
  CHECK(findings(plan) == "");
  CHECK(reductions(plan, 1).empty());
  CHECK(parameter_bytes(plan, 1) == bytes_of_layer);
}

TEST_CASE("one rank or one micro-batch has one copy of the model") {
  for (const char* schedule : {"chimera", "gems"})
    for (const auto& [ranks, microbatches] : {std::pair{1, 4}, {4, 1}}) {
      const program::Plan plan = plan_of(schedule, ranks, microbatches);
      CHECK(sent_by_all(plan).count("all_reduce") == 0);
      CHECK(parameter_bytes(plan, 0) == bytes_of_layer * copied_layers / ranks);
    }
}

// Groups of channels split the sample, which both copies read.
TEST_CASE("copies of the model on a tensor axis convert a sample each for itself") {
  graph::Graph g;
  g.name = "groups";
  const auto parameter = [&g](const char* name, graph::Shape shape) {
    return g.add_tensor({name, {std::move(shape), graph::DType::f32}, graph::Role::parameter});
  };
  const auto x = g.add_tensor({"x", {{8, 4, 6, 6}, graph::DType::f32}, graph::Role::input});
  const auto labels = g.add_tensor({"labels", {{8}, graph::DType::i32}, graph::Role::label});
  graph::ConvolutionAttributes groups;
  groups.groups = 4;
  groups.padding = 1;
  const auto relu = graph::Activation::relu;
  auto last =
      g.add("conv", std::make_shared<graph::Conv2d>(groups, false, relu), {x, parameter("conv", {12, 1, 3, 3})})[0];
  last = g.add("flatten", std::make_shared<graph::Flatten>(), {last})[0];
  last = g.add("fc", std::make_shared<graph::Linear>(false, relu), {last, parameter("fc", {5, 432})})[0];
  for (const auto metric : g.add("loss", std::make_shared<graph::CrossEntropy>(), {last, labels}))
    g.tensors[static_cast<std::size_t>(metric)].role = graph::Role::metric;
  const program::CostTable costs;
  const Task task{g, 8, 4, graph::sgd({}), costs};
  for (const char* schedule : {"gems", "chimera"}) {
    OptionValues options = mesh({{"tensor", 2}, {"pipeline", 2}}, 2);
    options["schedule"] = std::string(schedule);
    program::Plan plan = find_strategy("hybrid").compile(task, options);
    program::complete(plan, costs);
    CHECK(findings(plan) == "");
  }
}

// With two ranks, Chimera and GEMS have all stages on each.
TEST_CASE("copies of a model with batch norm sum what they observe") {
  const workloads::ModelKind& kind = workloads::find_model("resnet18");
  const OptionValues options = with_defaults(kind.options, {{"samples_per_statistic", std::int64_t{4}}});
  const graph::Graph graph = kind.build({{{{3, 32, 32}, graph::DType::f32}, {}, 10}, 8, options});
  const program::CostTable costs;
  const Task task{graph, 8, 2, graph::sgd({}), costs};
  const OptionValues replicated{{"microbatches", std::int64_t{2}}, {"ranks_per_stage", Integers{2}}};
  const OptionValues two{{"microbatches", std::int64_t{2}}};
  for (const auto& [strategy, settings] : {std::pair{"chimera", two}, {"gems", two}, {"1f1b", replicated}}) {
    INFO(strategy);
    program::Plan plan = find_strategy(strategy).compile(task, settings);
    program::complete(plan, costs);
    CHECK(findings(plan) == "");
    const std::vector<std::string> names = reductions(plan, 0);
    CHECK(std::count(names.begin(), names.end(), "reduce statistics") > 0);
    CHECK(statistics_on(plan, 0) == graph.with_role(graph::Role::statistic).size());
  }
}
