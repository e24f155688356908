#include <set>

#include "catch.h"
#include "compiled.h"
#include "graph/ops/layer_norm.h"
#include "strategies/passes/assign.h"
#include "strategies/passes/shard.h"
#include "workloads/models/layers/graph_file.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

constexpr std::int64_t small_batch = 12;

/// Returns a model of `layers` for images of 4x8x8 and 10 classes.
graph::Graph model_of(const std::string& layers) {
  const workloads::GraphFile file = workloads::parse_graph(
      R"({"name": "layers", "sample": {"shape": [4, 8, 8], "classes": 10}, "layers": [)" + layers + "]}", "m.json");
  return workloads::build_graph(file, {file.default_sample, small_batch, {}});
}

program::Plan compiled_model(const graph::Graph& model, const std::string& strategy, int ranks,
                             OptionValues options = {}, std::int64_t channel_block = 1) {
  const StrategyKind& kind = find_strategy(strategy);
  const program::CostTable costs;
  program::Plan plan =
      kind.compile({model, small_batch, ranks, graph::sgd({.momentum = 0.9f}), costs, channel_block}, options);
  program::complete(plan, costs);
  return plan;
}

std::vector<std::string> choices(const graph::Graph& model, int ranks) {
  return shard_layers(model, "tensor", ranks).choices;
}

using Sent = std::map<std::string, std::int64_t>;

std::int64_t all_reduced(std::int64_t elements, int ranks) {
  return 2 * (ranks - 1) * elements * 4;
}

const std::string grouped = R"(
    {"kind": "conv2d", "name": "a", "channels": 12, "kernel": 3, "padding": 1, "activation": "relu"},
    {"kind": "max_pool2d", "kernel": 2},
    {"kind": "batch_norm", "name": "bn"},
    {"kind": "conv2d", "name": "b", "channels": 6, "kernel": 3, "padding": 1, "groups": 3, "activation": "relu"},
    {"kind": "flatten"},
    {"kind": "linear", "name": "fc", "features": "$classes"})";

}  // namespace

TEST_CASE("a grouped convolution and the channels that it reads are split by whole groups", "[N2]") {
  const graph::Graph model = model_of(grouped);
  for (const int ranks : {2, 3}) {
    CHECK(choices(model, ranks) == std::vector<std::string>{"a: output channels", "b: channels by groups", "fc: rows"});
    const program::Plan plan = compiled_model(model, "tensor", ranks);
    CHECK(findings(plan) == "");
    // Nothing is sent but the sums of the logits.
    CHECK(sent_by_all(plan) == Sent{{"all_reduce", all_reduced(small_batch * 10, ranks)}});
  }
  CHECK(findings(compiled_model(model, "hybrid", 4, mesh({{"data", 2}, {"tensor", 2}}, 1))) == "");
}

TEST_CASE("a convolution with fewer groups than ranks is computed whole on each rank", "[N2]") {
  const graph::Graph model = model_of(grouped);
  CHECK(choices(model, 4) == std::vector<std::string>{"a: output channels"});
  CHECK(findings(compiled_model(model, "tensor", 4)) == "");
  CHECK(findings(compiled_model(model, "hybrid", 8, mesh({{"tensor", 4}, {"pipeline", 2}}, 1))) == "");
}

TEST_CASE("channels in blocks are split between blocks only", "[N2]") {
  const graph::Graph model = model_of(R"(
    {"kind": "conv2d", "name": "a", "channels": 24, "kernel": 3, "padding": 1, "activation": "relu"},
    {"kind": "conv2d", "name": "b", "channels": 48, "kernel": 3, "padding": 1, "groups": 4, "activation": "relu"},
    {"kind": "conv2d", "name": "c", "channels": 48, "kernel": 3, "padding": 1, "groups": 48},
    {"kind": "flatten"},
    {"kind": "linear", "name": "fc", "features": "$classes"})");
  for (const int ranks : {2, 3, 4})
    for (const std::int64_t block : {1, 2, 4, 8, 16}) {
      CAPTURE(ranks, block);
      CHECK(findings(compiled_model(model, "tensor", ranks, {}, block)) == "");
    }
}

TEST_CASE("the activation of a row-split layer follows the sum over ranks, with and without a bias", "[N2]") {
  for (const std::string bias : {"true", "false"}) {
    const graph::Graph model = model_of(R"(
      {"kind": "conv2d", "name": "a", "channels": 8, "kernel": 3, "activation": "relu"},
      {"kind": "flatten"},
      {"kind": "linear", "name": "b", "features": 16, "bias": )" +
                                        bias + R"(, "activation": "relu"},
      {"kind": "linear", "name": "c", "features": 12},
      {"kind": "linear", "name": "fc", "features": "$classes"})");
    for (const int ranks : {2, 3, 4}) {
      CHECK(choices(model, ranks) ==
            std::vector<std::string>{"a: output channels", "b: rows", "c: columns", "fc: rows"});
      const program::Plan plan = compiled_model(model, "tensor", ranks);
      CHECK(findings(plan) == "");
      // Forward sends the 16 features of b and the logits; backward the gradient of those features.
      CHECK(sent_by_all(plan) == Sent{{"all_reduce", all_reduced(small_batch * (16 + 10 + 16), ranks)}});
      CHECK(findings(compiled_model(model, "tensor", ranks, {{"recompute", Strings{"bias_activation"}}})) == "");
    }
  }
}

TEST_CASE("a linear layer is split by rows only if its input is split along the features", "[N2]") {
  const graph::Graph model = model_of(R"(
    {"kind": "conv2d", "name": "a", "channels": 8, "kernel": 3, "activation": "relu"},
    {"kind": "linear", "name": "b", "features": 6, "activation": "relu"},
    {"kind": "linear", "name": "c", "features": 6},
    {"kind": "flatten"},
    {"kind": "linear", "name": "fc", "features": "$classes"})");
  CHECK(choices(model, 2) == std::vector<std::string>{"a: output channels", "b: columns", "c: rows"});
  for (const int ranks : {2, 3, 4}) CHECK(findings(compiled_model(model, "tensor", ranks)) == "");
}

// No row-split layer follows c, so c stays whole; its sum with a, which is split, is split nevertheless.
TEST_CASE("observations have the placement of their statistic, also after a layer that stays whole", "[N2]") {
  const graph::Graph model = model_of(R"(
    {"kind": "flatten"},
    {"kind": "linear", "name": "a", "features": 8},
    {"kind": "linear", "name": "b", "features": 12},
    {"kind": "linear", "name": "c", "features": 8},
    {"kind": "add", "inputs": ["c", "a"]},
    {"kind": "batch_norm", "name": "bn"},
    {"kind": "layer_norm"},
    {"kind": "linear", "name": "fc", "features": "$classes"})");
  CHECK(choices(model, 2) == std::vector<std::string>{"a: columns", "b: rows"});
  for (const int ranks : {2, 3, 4}) CHECK(findings(compiled_model(model, "tensor", ranks)) == "");
}

TEST_CASE("scales and running statistics of a norm are split together for any placement of its residual", "[N2]") {
  const graph::Graph model = model_of(R"(
    {"kind": "conv2d", "name": "a", "channels": 4, "kernel": 3, "padding": 1},
    {"kind": "batch_norm", "name": "bn", "inputs": ["a", "input"]},
    {"kind": "flatten"},
    {"kind": "linear", "name": "fc", "features": "$classes"})");
  const Sharding sharding = shard_layers(model, "tensor", 2);
  std::set<std::string> split;
  for (const auto& [tensor, placement] : sharding.rule.parameters)
    if (placement == graph::sharded(0)) split.insert(sharding.graph.tensors[static_cast<std::size_t>(tensor)].name);
  CHECK(split ==
        std::set<std::string>{"a.weight", "a.bias", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"});
  for (const int ranks : {2, 3, 4}) CHECK(findings(compiled_model(model, "tensor", ranks)) == "");
}

TEST_CASE("a layer without a legal signature for its placements is unsupported, and the error names it", "[N2]") {
  const graph::Graph model = model_of(R"(
    {"kind": "flatten"},
    {"kind": "layer_norm", "name": "norm"},
    {"kind": "linear", "name": "fc", "features": "$classes"})");
  AxisRule rule{"tensor", 2, false, {}};
  for (const graph::TensorId parameter : model.with_role(graph::Role::parameter))
    if (model.tensors[static_cast<std::size_t>(parameter)].name == "norm.weight")
      rule.parameters[parameter] = graph::sharded(0);
  try {
    choose_signature(model, 1, {graph::replicated(), graph::sharded(0), graph::replicated()}, rule);
    FAIL("chosen");
  } catch (const Unsupported& error) {
    CHECK(
        std::string(error.what()) ==
        "layer 'norm' cannot be computed in 2 parts on the axis 'tensor' while its inputs lie at R S(0) R; use another "
        "strategy, or another number of ranks on this axis");
  }
}
