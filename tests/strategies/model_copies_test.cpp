#include "catch.h"
#include "compiled.h"

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

TEST_CASE("copies of a model with batch norm are rejected") {
  const workloads::ModelKind& kind = workloads::find_model("resnet18");
  const OptionValues options = with_defaults(kind.options, {{"samples_per_statistic", std::int64_t{4}}});
  const graph::Graph graph = kind.build({{{{3, 32, 32}, graph::DType::f32}, {}, 10}, 8, options});
  const program::CostTable costs;
  const Task task{graph, 8, 2, graph::sgd({}), costs};
  CHECK_THROWS_WITH(find_strategy("chimera").compile(task, {{"microbatches", std::int64_t{2}}}),
                    Catch::Matchers::Contains("each of which would observe its own statistics of batch norm"));
}
