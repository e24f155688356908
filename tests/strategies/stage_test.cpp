#include "strategies/passes/stage.h"

#include <algorithm>
#include <numeric>

#include "catch.h"
#include "compiled.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/passes/stage_use.h"
#include "strategies/passes/sums.h"
#include "strategies/spec.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

std::vector<int> balanced(const std::vector<double>& weights, int stages) {
  return balance(weights.size(), stages, [&weights](int, std::size_t begin, std::size_t end) {
    return std::accumulate(weights.begin() + static_cast<std::ptrdiff_t>(begin),
                           weights.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  });
}

}  // namespace

TEST_CASE("blocks are as even as possible") {
  CHECK(balanced({1, 1, 1, 1}, 2) == std::vector<int>{0, 0, 1, 1});
  CHECK(balanced({5, 1, 1, 1}, 2) == std::vector<int>{0, 1, 1, 1});
  CHECK(balanced({1, 1, 1, 1, 9}, 3) == std::vector<int>{0, 0, 1, 1, 2});
  CHECK(balanced({3, 3, 3}, 3) == std::vector<int>{0, 1, 2});
}

TEST_CASE("the heaviest block is the lightest possible") {
  const std::vector<double> weights{4, 7, 1, 1, 3, 8, 2, 2, 5};
  const std::vector<int> block = balanced(weights, 3);
  std::vector<double> sums(3, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) sums[static_cast<std::size_t>(block[i])] += weights[i];
  CHECK(*std::max_element(sums.begin(), sums.end()) == 12);  // 4 7 1 | 1 3 8 | 2 2 5; 11 would leave 17 for the last
}

TEST_CASE("lenet is divided between layers, and a pooling stays with its convolution") {
  const graph::Graph training = graph::differentiate(fashion_model("lenet", 16));
  CHECK(describe_stages(training, assign_stages(training, {2}, {})) ==
        "conv1 pool1 | conv2 pool2 flatten fc1 fc2 fc3 loss");
  CHECK(describe_stages(training, assign_stages(training, {5}, {})) ==
        "conv1 pool1 | conv2 pool2 flatten | fc1 | fc2 | fc3 loss");
}

TEST_CASE("a transformer is divided where only the residual stream crosses, and a norm stays with its reader") {
  workloads::SampleShape text;
  text.sample = {{8}, graph::DType::i32};
  text.label = {8};
  text.classes = 16;  // a small head, so that the blocks have most of the work
  const workloads::ModelKind& model = workloads::find_model("tiny-gpt");
  const OptionValues options{{"layers", std::int64_t{2}}, {"hidden", std::int64_t{32}}};
  const graph::Graph training = graph::differentiate(model.build({text, 4, with_defaults(model.options, options)}));
  CHECK(describe_stages(training, assign_stages(training, {2}, {})) ==
        "wte wpe h.0.ln_1 h.0.attn.c_attn h.0.attn h.0.attn.c_proj h.0.attn.add h.0.ln_2 h.0.mlp.c_fc h.0.mlp.gelu "
        "h.0.mlp.c_proj h.0.mlp.add | h.1.ln_1 h.1.attn.c_attn h.1.attn h.1.attn.c_proj h.1.attn.add h.1.ln_2 "
        "h.1.mlp.c_fc h.1.mlp.gelu h.1.mlp.c_proj h.1.mlp.add ln_f lm_head loss");
}

namespace {

/// Costs of 1 s for each op of `layer`, and of 10 ms for the others.
program::CostTable slow_layer(const graph::Graph& training, const std::string& layer) {
  program::CostTable costs;
  for (const graph::Node& node : training.nodes) {
    program::Compute compute;
    compute.op = node.op;
    for (const auto t : node.inputs) compute.inputs.push_back({{}, training.tensors[static_cast<std::size_t>(t)].type});
    for (const auto t : node.outputs)
      compute.outputs.push_back({{}, training.tensors[static_cast<std::size_t>(t)].type});
    costs.insert(program::cost_key(compute), {node.name.substr(0, layer.size()) == layer ? 1.0 : 0.01, 0});
  }
  return costs;
}

}  // namespace

TEST_CASE("known times take precedence over FLOPs") {
  const graph::Graph training = graph::differentiate(fashion_model("lenet", 16));
  const program::CostTable costs = slow_layer(training, "fc3");
  CHECK(describe_stages(training, assign_stages(training, {2}, costs)) ==
        "conv1 pool1 conv2 pool2 flatten fc1 fc2 | fc3 loss");
}

TEST_CASE("the times of a stage's phases are those of its ops, and never 0") {
  using graph::Phase;
  const graph::Graph training = graph::differentiate(fashion_model("lenet", 16));
  const std::vector<int> stages = assign_stages(training, {5}, {});
  const StageCosts costs = stage_costs(training, stages, {5}, slow_layer(training, "fc3"));
  REQUIRE(costs.phases.size() == 5);
  CHECK(costs.of(2, Phase::forward) == Approx(0.01));
  CHECK(costs.of(2, Phase::backward_weight) == Approx(0.01));
  CHECK(costs.of(4, Phase::forward) == Approx(1.01));
  CHECK(costs.of(0, Phase::backward_input) > 0);
  CHECK(stage_costs(training, stages, {5}, {}).phases.empty());
}

TEST_CASE("the time of an op that computes both gradients belongs to the input half") {
  using graph::Phase;
  workloads::SampleShape text;
  text.sample = {{8}, graph::DType::i32};
  text.label = {8};
  text.classes = 16;
  const workloads::ModelKind& kind = workloads::find_model("tiny-gpt");
  const OptionValues options{{"layers", std::int64_t{1}}, {"hidden", std::int64_t{32}}, {"fused_head", true}};
  const graph::Graph training = graph::differentiate(kind.build({text, 4, with_defaults(kind.options, options)}));
  const std::size_t nodes = graph::model_nodes(training);
  REQUIRE(training.nodes[nodes - 1].op->kind() == "linear_cross_entropy_and_gradients");
  std::vector<int> stages(nodes, 0);
  stages[nodes - 1] = 1;
  const StageCosts costs = stage_costs(training, stages, {2}, slow_layer(training, "loss"));
  CHECK(costs.of(1, Phase::forward) == Approx(1e-9));
  CHECK(costs.of(1, Phase::backward_input) == Approx(1));
  CHECK(costs.of(1, Phase::backward_weight) == Approx(1e-9));
}

TEST_CASE("times of the ops in a tied model's plan suffice to balance stages by time") {
  workloads::SampleShape text;
  text.sample = {{8}, graph::DType::i32};
  text.label = {8};
  text.classes = 16;
  const workloads::ModelKind& kind = workloads::find_model("tiny-gpt");
  const graph::Graph model =
      kind.build({text, 4, with_defaults(kind.options, {{"layers", std::int64_t{2}}, {"hidden", std::int64_t{32}}})});
  const graph::Graph training = graph::differentiate(model);
  REQUIRE(std::any_of(training.nodes.begin(), training.nodes.end(), sums_parameter_gradients));
  for (const std::string strategy : {"single", "gpipe"}) {
    CAPTURE(strategy);
    const StrategyKind& ways = find_strategy(strategy);
    const program::Plan plan =
        ways.compile({model, 4, strategy == "single" ? 1 : 2, graph::sgd({}), {}}, {{"microbatches", std::int64_t{1}}});
    program::CostTable costs;
    for (const program::Role& role : plan.roles)
      for (const program::Instruction& instruction : role.train.bodies.front())
        if (const auto* compute = std::get_if<program::Compute>(&instruction.action))
          costs.insert(program::cost_key(*compute),
                       {compute->op->kind() == "embedding_backward_weight" ? 1.0 : 1e-6, 0});
    CHECK(describe_stages(training, assign_stages(training, {2}, costs)).substr(0, 15) == "wte | wpe h.0.l");
  }
}

TEST_CASE("more stages than layers are rejected with both numbers") {
  const graph::Graph training = graph::differentiate(fashion_model("lenet", 16));
  try {
    assign_stages(training, {6}, {});
    FAIL("accepted");
  } catch (const Unsupported& error) {
    CHECK(std::string(error.what()) ==
          "model 'lenet' has 5 layers with weights, fewer than the 6 pipeline stages asked for; use at most 5");
  }
}

namespace {

/// Returns a model each of whose layers has half the width of the one before.
graph::Graph narrowing() {
  graph::Graph g;
  g.name = "narrowing";
  constexpr std::int64_t batch = 64;
  const std::vector<std::int64_t> widths{1024, 512, 256, 128, 64, 32, 16};
  graph::TensorId last = g.add_tensor({"x", {{batch, widths[0]}, graph::DType::f32}, graph::Role::input});
  const auto labels = g.add_tensor({"labels", {{batch}, graph::DType::i32}, graph::Role::label});
  for (std::size_t layer = 1; layer < widths.size(); ++layer) {
    const std::string name = "fc" + std::to_string(layer);
    const auto weight = g.add_tensor(
        {name + ".weight", {{widths[layer], widths[layer - 1]}, graph::DType::f32}, graph::Role::parameter});
    last = g.add(name, std::make_shared<graph::Linear>(false, graph::Activation::relu), {last, weight})[0];
  }
  for (const auto metric : g.add("loss", std::make_shared<graph::CrossEntropy>(), {last, labels}))
    g.tensors[static_cast<std::size_t>(metric)].role = graph::Role::metric;
  return graph::differentiate(g);
}

std::string divided(const graph::Graph& training, const Division& division, const program::CostTable& costs = {}) {
  return describe_stages(training, assign_stages(training, division, costs));
}

}  // namespace

TEST_CASE("stages are balanced by FLOPs where that is asked for, though times are known") {
  const graph::Graph training = graph::differentiate(fashion_model("lenet", 16));
  const program::CostTable costs = slow_layer(training, "fc3");
  CHECK(divided(training, {2, Balance::flops}, costs) == divided(training, {2}));
  CHECK(divided(training, {2, Balance::flops}, costs) != divided(training, {2}, costs));
}

TEST_CASE("stages are balanced by the parameters and activations of as many micro-batches as they hold") {
  const graph::Graph training = narrowing();
  Division division{2, Balance::memory};
  division.parameter_copies = {3, 3};
  division.uses = {{1, 1}, {1, 1}};
  CHECK(divided(training, division) == "fc1 | fc2 fc3 fc4 fc5 fc6 loss");
  // Without parameters, what counts are the results that backward ops read: of 512, 256, 128, 64, 32 and 16 values.
  division.parameter_copies = {0, 0};
  CHECK(divided(training, division) == "fc1 fc2 | fc3 fc4 fc5 fc6 loss");
  division.uses = {{1, 1}, {8, 1}};
  CHECK(divided(training, division) == "fc1 fc2 fc3 fc4 | fc5 fc6 loss");
}

TEST_CASE("stages that recompute have more work, and stages that communicate too") {
  const graph::Graph training = narrowing();
  const program::CostTable costs = slow_layer(training, "none");  // 10 ms for each op
  CHECK(divided(training, {2}, costs) == "fc1 fc2 fc3 | fc4 fc5 fc6 loss");
  Division division{2};
  division.recomputation = {Recomputation::Kind::full, {}, {1}};
  division.uses = {{2, 1}, {1, 1}};
  CHECK(divided(training, division, costs) == "fc1 fc2 fc3 fc4 | fc5 fc6 loss");
  division = {3, Balance::time_and_communication};
  division.link_bytes_per_second = 1e9;
  const std::string fast = divided(training, division, costs);
  CHECK(fast == divided(training, {3}, costs));
  division.link_bytes_per_second = 1e5;
  CHECK(divided(training, division, costs) != fast);
  division.follows_own_rank = {false, true, true};  // no boundary needs a message
  CHECK(divided(training, division, costs) == fast);
}

TEST_CASE("a stage's uses follow from its schedule") {
  const auto uses_of = [](const char* schedule, int microbatches) {
    const ScheduleKind& kind = find_schedule(schedule);
    return stage_uses(kind.pipeline(4, pipeline_of(kind, 2).chunks, microbatches), kind.schedule);
  };
  const std::vector<StageUse> alternating = uses_of("1f1b", 8);
  REQUIRE(alternating.size() == 4);
  for (int stage = 0; stage < 4; ++stage) {
    CHECK(alternating[static_cast<std::size_t>(stage)].held == 4 - stage);
    CHECK(alternating[static_cast<std::size_t>(stage)].repeated == (stage == 3 ? 0 : 1));
  }
  CHECK(uses_of("gpipe", 8).front().held == 8);
  CHECK(uses_of("gpipe", 8).back().repeated == 7.0 / 8);
  CHECK(uses_of("zb_v", 8).size() == 8);
  CHECK(uses_of("chimera", 8).size() == 4);
}
