#include "base/error.h"
#include "catch.h"
#include "graph/graph.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/dropout.h"
#include "graph/ops/loss.h"
#include "graph/ops/pool.h"
#include "graph/ops/reorder.h"
#include "graph/ops/shape.h"

using namespace ddlbench::graph;

namespace {

TensorId convolution(Graph& g, const std::string& name, TensorId x, std::int64_t from, std::int64_t to) {
  const TensorId w = g.add_tensor({name + ".weight", {{to, from, 3, 3}}, Role::parameter});
  const ConvolutionAttributes geometry{1, 1};
  return g.add(name, std::make_shared<Conv2d>(geometry, false, Activation::relu), {x, w})[0];
}

/// Two convolutions with 16 channels and a shortcut, max pooling, a convolution with 6 channels, flatten,
/// cross-entropy.
Graph model() {
  Graph g;
  TensorId x = g.add_tensor({"images", {{2, 3, 8, 8}}, Role::input});
  const TensorId first = convolution(g, "first", x, 3, 16);
  const TensorId second = convolution(g, "second", first, 16, 16);
  x = g.add("sum", std::make_shared<Add>(), {first, second})[0];
  x = g.add("pool", std::make_shared<MaxPool2d>(PoolAttributes{2, 2}), {x})[0];
  x = convolution(g, "odd", x, 16, 6);
  x = g.add("flatten", std::make_shared<Flatten>(), {x})[0];
  const TensorId labels = g.add_tensor({"labels", {{2}, DType::i32}, Role::label});
  const std::vector<TensorId> loss = g.add("loss", std::make_shared<CrossEntropy>(0.0F), {x, labels});
  for (const TensorId metric : loss) g.tensors[static_cast<std::size_t>(metric)].role = Role::metric;
  return g;
}

std::int64_t block_of(const Graph& g, const std::string& tensor) {
  for (const TensorSpec& spec : g.tensors)
    if (spec.name == tensor) return spec.type.channel_block;
  throw ddlbench::ContractError("no tensor " + tensor);
}

int count(const Graph& g, std::string_view kind) {
  int found = 0;
  for (const Node& node : g.nodes) found += node.op->kind() == kind;
  return found;
}

}  // namespace

TEST_CASE("convolutions write channel blocks that divide the channels, and the following ops keep them") {
  const Graph g = in_channel_blocks(model(), 8);
  for (const char* tensor : {"first", "second", "sum", "pool.0", "pool.1"}) CHECK(block_of(g, tensor) == 8);
  for (const char* tensor : {"images", "odd", "flatten", "second.weight"}) CHECK(block_of(g, tensor) == 1);
  CHECK(count(g, "reorder") == 0);

  const Graph training = differentiate(with_batch(g, 4));
  for (std::size_t t = 0; t < g.tensors.size(); ++t) {
    const TensorId gradient = training.gradients[t];
    if (gradient == absent) continue;
    CHECK(training.tensors[static_cast<std::size_t>(gradient)].type.channel_block == g.tensors[t].type.channel_block);
  }
}

TEST_CASE("with all_channels, activations and filters larger than 1 x 1 have channels last") {
  Graph forward = model();
  const TensorId w = forward.add_tensor({"point.weight", {{8, 16, 1, 1}}, Role::parameter});
  TensorId first = absent;
  for (std::size_t t = 0; t < forward.tensors.size(); ++t)
    if (forward.tensors[t].name == "first") first = static_cast<TensorId>(t);
  forward.add("point", std::make_shared<Conv2d>(ConvolutionAttributes{}, false, Activation::none), {first, w});
  const Graph g = in_channel_blocks(forward, all_channels);
  for (const char* tensor : {"first", "second", "sum", "pool.0", "pool.1", "second.weight", "odd.weight"})
    CHECK(block_of(g, tensor) == 16);
  CHECK(block_of(g, "odd") == 6);
  CHECK(block_of(g, "point") == 8);
  CHECK(block_of(g, "first.weight") == 3);
  for (const char* tensor : {"images", "flatten", "point.weight"}) CHECK(block_of(g, tensor) == 1);
  CHECK(count(g, "reorder") == 1);

  const Graph training = differentiate(with_batch(in_channel_blocks(model(), all_channels), 4));
  for (const TensorId parameter : training.with_role(Role::parameter)) {
    const TensorId gradient = training.gradients[static_cast<std::size_t>(parameter)];
    CHECK(training.tensors[static_cast<std::size_t>(gradient)].type ==
          training.tensors[static_cast<std::size_t>(parameter)].type);
  }
}

TEST_CASE("a row-major input of a convolution is reordered to channels last unless it has few channels") {
  Graph forward;
  const TensorId image = forward.add_tensor({"images", {{2, 3, 8, 8}}, Role::input});
  const auto convolve = [&](const std::string& name, TensorId x, std::int64_t from, std::int64_t to) {
    const TensorId w = forward.add_tensor({name + ".weight", {{to, from, 3, 3}}, Role::parameter});
    const ConvolutionAttributes geometry{1, 1, 1, 1};
    return forward.add(name, std::make_shared<Conv2d>(geometry, false, Activation::none), {x, w})[0];
  };
  const auto average = [&](const std::string& name, TensorId x) {
    return forward.add(name, std::make_shared<AveragePool2d>(PoolAttributes{2, 2, 0}), {x})[0];
  };
  const TensorId first = convolve("first", image, 3, 6);
  const TensorId second = convolve("second", average("few", first), 6, 16);
  convolve("third", average("many", second), 16, 16);
  const Graph g = in_channel_blocks(forward, all_channels);
  for (const char* tensor : {"images", "few", "many"}) CHECK(block_of(g, tensor) == 1);
  CHECK(block_of(g, "many.blocked") == 16);
  CHECK(count(g, "reorder") == 3);  // two before the pools, and this one
}

TEST_CASE("no tensor has channels last if channels are split") {
  for (const TensorSpec& spec : in_channel_blocks(model(), all_channels, 2).tensors)
    CHECK(spec.type.channel_block == 1);
}

TEST_CASE("a part of the channels contains only whole blocks") {
  CHECK(block_of(in_channel_blocks(model(), 8, 2), "first") == 8);
  CHECK(block_of(in_channel_blocks(model(), 8, 3), "first") == 1);
  CHECK(block_of(in_channel_blocks(model(), 1), "first") == 1);
}

TEST_CASE("a part of the groups contains only whole blocks", "[N2]") {
  const auto block = [](std::int64_t channels, int groups, int parts) {
    Graph g;
    const TensorId x = g.add_tensor({"images", {{2, channels, 8, 8}}, Role::input});
    const TensorId w = g.add_tensor({"weight", {{channels, channels / groups, 3, 3}}, Role::parameter});
    g.add("grouped", std::make_shared<Conv2d>(ConvolutionAttributes{1, 1, 1, groups}, false, Activation::none), {x, w});
    return block_of(in_channel_blocks(g, 8, parts), "grouped");
  };
  CHECK(block(32, 4, 2) == 8);
  CHECK(block(24, 3, 2) == 8);   // 16 and 8 channels, although half of 24 is not whole blocks
  CHECK(block(48, 4, 2) == 8);   // two groups of 12 channels are whole blocks
  CHECK(block(48, 4, 3) == 1);   // 24, 12 and 12
  CHECK(block(48, 2, 3) == 8);   // fewer groups than parts: it is not split
  CHECK(block(48, 48, 4) == 8);  // 16, 16, 8 and 8
  CHECK(block(48, 48, 8) == 1);
}

TEST_CASE("ops without support for blocks get row-major inputs, also in evaluation") {
  Graph g;
  const TensorId images = g.add_tensor({"images", {{2, 8, 4, 4}}, Role::input});
  const TensorId samples = g.add_tensor({"samples", {{2}, DType::i32}, Role::sample});
  const TensorId x = convolution(g, "conv", images, 8, 8);
  const TensorId dropped = g.add("drop", std::make_shared<Dropout>(0.5F, "drop"), {x, samples})[0];
  g.nodes.back().evaluation = Substitute{std::make_shared<Add>(), {x, x}};
  g.add("sum", std::make_shared<Add>(), {dropped, x});
  const Graph blocked = in_channel_blocks(g, 8);
  CHECK(block_of(blocked, "conv") == 8);
  CHECK(block_of(blocked, "drop") == 1);
  CHECK(block_of(blocked, "sum") == 8);
  CHECK(count(blocked, "reorder") == 2);
  for (const Node& node : blocked.nodes) {
    if (!node.evaluation) continue;
    for (const TensorId input : node.evaluation->inputs)
      CHECK(blocked.tensors[static_cast<std::size_t>(input)].type.channel_block == 1);
  }
}

TEST_CASE("the text of a type contains its channel block") {
  CHECK(to_string(TensorType{{2, 16, 3, 3}, DType::f32, 8}) == "f32[2x16x3x3 in 8]");
  CHECK_THROWS_AS(Reorder(3).infer(std::vector<TensorType>{{{2, 16, 3, 3}}}), ddlbench::ContractError);
}
