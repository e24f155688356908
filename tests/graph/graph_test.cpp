#include "graph/graph.h"

#include "base/error.h"
#include "catch.h"
#include "graph/flops.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"

using namespace ddlbench::graph;

namespace {

TensorId add_parameter(Graph& graph, const std::string& name, Shape shape) {
  return graph.add_tensor({name, {std::move(shape), DType::f32}, Role::parameter, {}});
}

/// flatten, fc1 with ReLU, fc2, cross-entropy over images of 2 × 3.
Graph two_layers(std::int64_t batch) {
  Graph graph;
  graph.name = "two_layers";
  const TensorId images = graph.add_tensor({"images", {{batch, 2, 3}, DType::f32}, Role::input, {}});
  const TensorId labels = graph.add_tensor({"labels", {{batch}, DType::i32}, Role::label, {}});
  const TensorId w1 = add_parameter(graph, "fc1.weight", {4, 6});
  const TensorId b1 = add_parameter(graph, "fc1.bias", {4});
  const TensorId w2 = add_parameter(graph, "fc2.weight", {5, 4});
  const TensorId flat = graph.add("flatten", std::make_shared<Flatten>(), {images})[0];
  const TensorId hidden = graph.add("fc1", std::make_shared<Linear>(true, Activation::relu), {flat, w1, b1})[0];
  const TensorId logits = graph.add("fc2", std::make_shared<Linear>(false, Activation::none), {hidden, w2})[0];
  for (const TensorId metric : graph.add("loss", std::make_shared<CrossEntropy>(), {logits, labels}))
    graph.tensors[static_cast<std::size_t>(metric)].role = Role::metric;
  return graph;
}

std::vector<std::string> node_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

}  // namespace

TEST_CASE("the derivative has both gradients of each layer and ends at the first layer with parameters") {
  const Graph graph = differentiate(two_layers(8));
  CHECK(node_names(graph) == std::vector<std::string>{"flatten", "fc1", "fc2", "loss", "loss.backward_input",
                                                      "fc2.backward_input", "fc2.backward_weight",
                                                      "fc1.activation_backward", "fc1.backward_weight"});
  for (const TensorId parameter : graph.with_role(Role::parameter)) {
    const TensorId gradient = graph.gradients[static_cast<std::size_t>(parameter)];
    REQUIRE(gradient != absent);
    CHECK(graph.tensors[static_cast<std::size_t>(gradient)].type ==
          graph.tensors[static_cast<std::size_t>(parameter)].type);
    CHECK(graph.tensors[static_cast<std::size_t>(gradient)].role == Role::gradient);
  }
  CHECK(graph.nodes.back().phase == Phase::backward_weight);
  CHECK(graph.nodes.back().origin == 1);
}

TEST_CASE("the FLOPs of a training step are those of the forward pass and of both gradients of each layer") {
  const Graph graph = differentiate(two_layers(8));
  double products = 0;
  for (const Node& node : graph.nodes)
    if (node.name == "fc1" || node.name == "fc1.backward_weight" || node.name.starts_with("fc2"))
      products += flops_of(graph, node);
  CHECK(products == 2 * 8 * (2 * 6 * 4 + 3 * 4 * 5));  // fc1 does not need the gradient of its input
  double all = 0;
  for (const Node& node : graph.nodes) all += flops_of(graph, node);
  CHECK(training_flops(two_layers(8)) == all);
  CHECK(training_flops(two_layers(16)) == 2 * all);
}

TEST_CASE("max pooling applies the derivative of its input's activation if it is the only reader") {
  const auto names_with = [](bool read_twice) {
    Graph graph;
    const TensorId x = graph.add_tensor({"x", {{2, 1, 4, 4}, DType::f32}, Role::input, {}});
    const TensorId labels = graph.add_tensor({"labels", {{2}, DType::i32}, Role::label, {}});
    const TensorId w = add_parameter(graph, "w", {3, 1, 1, 1}), b = add_parameter(graph, "b", {3});
    const auto relu = std::make_shared<Conv2d>(ConvolutionAttributes{}, true, Activation::relu);
    TensorId y = graph.add("conv", relu, {x, w, b})[0];
    const TensorId most = graph.add("pool", std::make_shared<MaxPool2d>(PoolAttributes{4, 1, 0}), {y})[0];
    y = graph.add("flat", std::make_shared<Flatten>(), {most})[0];
    if (read_twice) {
      const TensorId mean =
          graph.add("mean", std::make_shared<AdaptiveAveragePool2d>(1, 1), {graph.nodes[0].outputs})[0];
      y = graph.add("sum", std::make_shared<Add>(), {y, graph.add("flat2", std::make_shared<Flatten>(), {mean})[0]})[0];
    }
    for (const TensorId metric : graph.add("loss", std::make_shared<CrossEntropy>(), {y, labels}))
      graph.tensors[static_cast<std::size_t>(metric)].role = Role::metric;
    return node_names(differentiate(graph));
  };
  const auto has = [](const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto once = names_with(false), twice = names_with(true);
  CHECK(has(once, "pool.activation_backward"));
  CHECK_FALSE(has(once, "conv.activation_backward"));
  CHECK_FALSE(has(twice, "pool.activation_backward"));
  CHECK(has(twice, "conv.activation_backward"));
}

TEST_CASE("a tensor that is used twice gets the sum of its gradients") {
  Graph graph;
  const TensorId x = graph.add_tensor({"x", {{2, 4}, DType::f32}, Role::input, {}});
  const TensorId labels = graph.add_tensor({"labels", {{2}, DType::i32}, Role::label, {}});
  const TensorId w = add_parameter(graph, "w", {4, 4});
  const TensorId a = graph.add("a", std::make_shared<Linear>(false, Activation::none), {x, w})[0];
  const TensorId b = graph.add("b", std::make_shared<Linear>(false, Activation::none), {a, w})[0];
  const TensorId sum = graph.add("sum", std::make_shared<Add>(), {a, b})[0];
  for (const TensorId metric : graph.add("loss", std::make_shared<CrossEntropy>(), {sum, labels}))
    graph.tensors[static_cast<std::size_t>(metric)].role = Role::metric;
  const Graph derived = differentiate(graph);
  int sums = 0;
  for (const Node& node : derived.nodes) sums += node.op->kind() == "add" && node.phase != Phase::forward ? 1 : 0;
  CHECK(sums == 2);  // of a, and of w
}

TEST_CASE("fused linear cross-entropy computes the loss and both gradients in one op of the backward pass") {
  Graph graph;
  const TensorId x = graph.add_tensor({"x", {{6, 4}, DType::f32}, Role::input, {}});
  const TensorId labels = graph.add_tensor({"labels", {{6}, DType::i32}, Role::label, {}});
  const TensorId table = add_parameter(graph, "table", {9, 3}), first = add_parameter(graph, "fc.weight", {3, 4});
  const TensorId hidden = graph.add("fc", std::make_shared<Linear>(false, Activation::none), {x, first})[0];
  const auto metrics = graph.add("loss", std::make_shared<LinearCrossEntropy>(0.1F), {hidden, table, labels});
  for (const TensorId metric : metrics) graph.tensors[static_cast<std::size_t>(metric)].role = Role::metric;

  const Graph training = differentiate(graph);
  CHECK(node_names(training) == std::vector<std::string>{"fc", "loss", "fc.backward_weight"});
  CHECK(model_nodes(training) == 2);
  const Node& head = training.nodes[1];
  CHECK(head.op->kind() == "linear_cross_entropy_and_gradients");
  CHECK(head.op->attributes() == LinearCrossEntropy(0.1F).attributes());
  CHECK(head.phase == Phase::backward_input);
  CHECK(head.origin == 1);
  CHECK(std::vector<TensorId>(head.outputs.begin(), head.outputs.begin() + 3) == metrics);
  CHECK(training.nodes[2].inputs[1] == head.outputs[3]);
  CHECK(training.gradients[static_cast<std::size_t>(table)] == head.outputs[4]);
  CHECK(flops_of(graph, graph.nodes[1]) == 2 * 6 * 3 * 9 + 5 * 6 * 9);
  CHECK(flops_of(training, head) == 3 * 2 * 6 * 3 * 9 + 8 * 6 * 9);

  // A gradient that nothing needs is an output that nothing reads.
  Graph fixed_weight = graph, fixed_input = graph;
  fixed_weight.tensors[static_cast<std::size_t>(table)].role = Role::input;
  fixed_input.tensors[static_cast<std::size_t>(first)].role = Role::input;
  const Graph without_dw = differentiate(fixed_weight), without_dx = differentiate(fixed_input);
  CHECK(node_names(without_dw) == node_names(training));
  CHECK(without_dw.gradients[static_cast<std::size_t>(table)] == absent);
  CHECK(node_names(without_dx) == std::vector<std::string>{"fc", "loss"});
  CHECK(without_dx.gradients[static_cast<std::size_t>(hidden)] == absent);
  CHECK(without_dx.gradients[static_cast<std::size_t>(table)] == without_dx.nodes[1].outputs[4]);
}

TEST_CASE("a parameter that does not influence the loss is rejected by name") {
  Graph graph = two_layers(2);
  add_parameter(graph, "lonely", {3});
  try {
    differentiate(graph);
    FAIL("accepted");
  } catch (const ddlbench::InputError& error) {
    CHECK(std::string(error.what()).find("lonely") != std::string::npos);
  }
}

TEST_CASE("another batch size changes all activations and no parameter") {
  const Graph graph = with_batch(two_layers(8), 3);
  CHECK(graph.batch() == 3);
  CHECK(graph.parameter_elements() == two_layers(8).parameter_elements());
  CHECK(graph.tensors[static_cast<std::size_t>(graph.nodes[1].outputs[0])].type.shape == Shape{3, 4});
  CHECK(graph.with_role(Role::metric).size() == 3);
}

TEST_CASE("split_epilogue adds a separate epilogue after the core") {
  const Graph graph = split_epilogue(two_layers(8), 1);
  CHECK(node_names(graph) == std::vector<std::string>{"flatten", "fc1.core", "fc1", "fc2", "loss"});
  CHECK(graph.nodes[2].op->kind() == "bias_activation");
  CHECK(graph.nodes[3].inputs[0] == graph.nodes[2].outputs[0]);
}

TEST_CASE("split_epilogue also separates an activation without a bias", "[N2]") {
  for (const bool bias : {false, true}) {
    Graph graph;
    std::vector<TensorId> inputs{graph.add_tensor({"x", {{2, 4}, DType::f32}, Role::input}),
                                 add_parameter(graph, "w", {5, 4})};
    if (bias) inputs.push_back(add_parameter(graph, "b", {5}));
    graph.add("fc", std::make_shared<Linear>(bias, Activation::relu), inputs);
    const Graph split = split_epilogue(graph, 0);
    CHECK(node_names(split) == std::vector<std::string>{"fc.core", "fc"});
    CHECK(split.nodes[0].inputs.size() == 2);
    CHECK(split.nodes[1].inputs.size() == (bias ? 2 : 1));
    CHECK(split.nodes[0].op->last_activation() == Activation::none);
    CHECK(split.nodes[1].op->last_activation() == Activation::relu);
    CHECK(split.nodes[1].op->attributes() == std::string("activation=relu features=last") + (bias ? "" : " bias=no"));
  }
  CHECK(Linear(false, Activation::none).split_epilogue().empty());
}

TEST_CASE("a shape mismatch names both shapes and the layer") {
  Graph graph;
  const TensorId x = graph.add_tensor({"x", {{2, 4}, DType::f32}, Role::input, {}});
  const TensorId w = add_parameter(graph, "w", {4, 5});
  try {
    graph.add("fc", std::make_shared<Linear>(false, Activation::none), {x, w});
    FAIL("accepted");
  } catch (const ddlbench::InputError& error) {
    CHECK(std::string(error.what()) == "layer 'fc': linear: weight 4x5 does not fit input 2x4");
  }
}
