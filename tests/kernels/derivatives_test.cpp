#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "catch.h"
#include "graph/graph.h"
#include "graph/ops/attention.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"
#include "harness.h"

using namespace ddlbench;
using graph::Activation;
using test::HostTensor;

namespace {

/// One op, its inputs, and the scalar L = Σ weights · outputs[0] whose gradient is asked for.
struct Function {
  graph::OpPtr op;
  std::vector<HostTensor> inputs;
  HostTensor weights;
  float step;        ///< of the differences, a power of 2
  double third = 0;  ///< bound of |∂³L/∂x³|; 0: L is piecewise linear, with no kink within a step
  graph::Scalars scalars = {};
};

double weighted_sum(const Function& f, const HostTensor& y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.values.size(); ++i) sum += double{f.weights.values[i]} * y.values[i];
  return sum;
}

HostTensor evaluate(kernels::Device& device, const Function& f) {
  test::Run run{f.op, f.inputs, {}};
  run.scalars = f.scalars;
  return test::run(device, run)[0];
}

/// The gradients that the op's own derivative emits, run op by op.
std::vector<HostTensor> emitted_gradients(kernels::Device& device, const Function& f) {
  graph::Graph graph;
  std::map<graph::TensorId, HostTensor> values;
  std::vector<graph::TensorId> inputs;
  for (const auto& tensor : f.inputs) {
    inputs.push_back(graph.add_tensor({"x", tensor.type, graph::Role::parameter}));
    values[inputs.back()] = tensor;
  }
  const auto outputs = graph.add("f", f.op, inputs);
  const graph::TensorId seed = graph.add_tensor({"seed", f.weights.type, graph::Role::gradient});
  values[seed] = f.weights;
  std::vector<graph::TensorId> output_gradients(outputs.size(), graph::absent);
  output_gradients[0] = seed;
  const std::vector<bool> wanted(graph.tensors.size(), true);
  graph::Differentiation d(graph, 0, output_gradients, wanted);
  f.op->differentiate(d);

  for (const auto& node : graph.nodes) {
    test::Run run{node.op, {}, {}};
    run.scalars = f.scalars;
    for (const auto id : node.inputs) run.inputs.push_back(values.at(id));
    const auto results = test::run(device, run);
    for (std::size_t o = 0; o < results.size(); ++o) values[node.outputs[o]] = results[o];
  }
  std::vector<HostTensor> gradients;
  for (const auto id : d.input_gradients()) gradients.push_back(id == graph::absent ? HostTensor{} : values.at(id));
  return gradients;
}

/// Holds every element of every gradient against (L(x + h) − L(x − h)) / 2h. What the difference errs by:
/// each output that changes was rounded twice, ε/2 of its size each time, and h²/6 of the third derivative;
/// what the gradient errs by: its own roundings, ε of the sum of its terms' sizes, which is at most
/// Σ |weights · change of output| / h.
void check(const Function& f) {
  constexpr double epsilon = std::numeric_limits<float>::epsilon();
  const auto device = test::device("reference");
  const auto gradients = emitted_gradients(*device, f);
  for (std::size_t i = 0; i < f.inputs.size(); ++i) {
    if (f.inputs[i].type.dtype != graph::DType::f32) continue;
    REQUIRE(gradients[i].type == f.inputs[i].type);
    for (std::size_t e = 0; e < f.inputs[i].values.size(); ++e) {
      Function above = f, below = f;
      above.inputs[i].values[e] += f.step;
      below.inputs[i].values[e] -= f.step;
      const double width = double{above.inputs[i].values[e]} - below.inputs[i].values[e];
      const auto y1 = evaluate(*device, above), y0 = evaluate(*device, below);
      double rounding = 0, change = 0;
      for (std::size_t o = 0; o < y1.values.size(); ++o) {
        if (y1.values[o] == y0.values[o]) continue;
        const double weight = std::abs(double{f.weights.values[o]});
        rounding += weight * epsilon * std::max(std::abs(y1.values[o]), std::abs(y0.values[o]));
        change += weight * std::abs(double{y1.values[o]} - y0.values[o]);
      }
      const double difference = (weighted_sum(f, y1) - weighted_sum(f, y0)) / width;
      const double tolerance = (rounding + 4 * epsilon * change) / width + f.third * width * width / 24 + epsilon;
      CAPTURE(f.op->kind(), f.op->attributes(), i, e, difference, tolerance);
      CHECK(std::abs(gradients[i].values[e] - difference) <= tolerance);
    }
  }
}

HostTensor weights_for(const graph::OpPtr& op, const std::vector<HostTensor>& inputs) {
  std::vector<graph::TensorType> types;
  for (const auto& tensor : inputs) types.push_back(tensor.type);
  return test::random_tensor(op->infer(types)[0].shape, "weights", 0.5f, 1.5f);
}

/// A bias that leaves no kink near: `size` above or below zero, channel by channel.
HostTensor decisive_bias(std::int64_t channels, float size) {
  auto bias = test::zeros({{channels}});
  for (std::size_t c = 0; c < bias.values.size(); ++c) bias.values[c] = c % 2 == 0 ? size : -size;
  return bias;
}

void check_linear_in_each(const graph::OpPtr& op, const std::vector<HostTensor>& inputs) {
  check({op, inputs, weights_for(op, inputs), 0.25f});
}

}  // namespace

TEST_CASE("derivatives of convolutions equal central differences") {
  struct Sizes {
    graph::Shape x, w;
    graph::ConvolutionAttributes geometry;
  };
  for (const auto& [x_shape, w_shape, geometry] :
       {Sizes{{2, 2, 5, 4}, {3, 2, 3, 3}, {1, 0}}, Sizes{{1, 3, 6, 6}, {2, 3, 3, 3}, {2, 1}},
        Sizes{{2, 3, 1, 1}, {2, 3, 1, 1}, {1, 0}}, Sizes{{1, 1, 6, 5}, {2, 1, 3, 3}, {2, 0}},
        Sizes{{1, 2, 6, 5}, {3, 2, 3, 3}, {1, 2, 2}}, Sizes{{2, 4, 4, 3}, {6, 2, 3, 3}, {1, 1, 1, 2}},
        Sizes{{1, 3, 5, 6}, {3, 1, 2, 2}, {2, 1, 2, 3}}}) {
    const auto x = test::random_tensor(x_shape, "x"), w = test::random_tensor(w_shape, "w");
    // |z − b| ≤ the number of products, a step of 1/4 included, is below 1.25 times that.
    const float bound = 1.25f * static_cast<float>(w_shape[1] * w_shape[2] * w_shape[3]) + 1;
    const auto b = decisive_bias(w_shape[0], bound);
    check_linear_in_each(std::make_shared<graph::Conv2d>(geometry, false, Activation::none), {x, w});
    check_linear_in_each(std::make_shared<graph::Conv2d>(geometry, true, Activation::none), {x, w, b});
    check_linear_in_each(std::make_shared<graph::Conv2d>(geometry, true, Activation::relu), {x, w, b});
  }
}

TEST_CASE("derivatives of linear layers equal central differences") {
  for (const auto& [n, in, out] : {std::tuple{1, 1, 1}, {3, 5, 4}, {1, 7, 2}}) {
    const auto x = test::random_tensor({n, in}, "x"), w = test::random_tensor({out, in}, "w");
    const auto b = decisive_bias(out, 1.25f * static_cast<float>(in) + 1);
    check_linear_in_each(std::make_shared<graph::Linear>(false, Activation::none), {x, w});
    check_linear_in_each(std::make_shared<graph::Linear>(true, Activation::none), {x, w, b});
    check_linear_in_each(std::make_shared<graph::Linear>(true, Activation::relu), {x, w, b});
  }
}

TEST_CASE("derivatives of bias, activation and addition equal central differences") {
  for (const graph::Shape& shape : {graph::Shape{3, 4}, {2, 3, 2, 2}}) {
    const auto x = test::random_tensor(shape, "x"), y = test::random_tensor(shape, "y");
    const auto b = decisive_bias(shape[1], 2);
    check_linear_in_each(std::make_shared<graph::BiasActivation>(Activation::none, graph::Features::second), {x, b});
    check_linear_in_each(std::make_shared<graph::BiasActivation>(Activation::relu, graph::Features::second), {x, b});
    const auto last = decisive_bias(shape.back(), 2);
    check_linear_in_each(std::make_shared<graph::BiasActivation>(Activation::relu, graph::Features::last), {x, last});
    for (const auto& z : {test::random_tensor(shape, "z", 1, 2), test::random_tensor(shape, "z", -2, -1)})
      check_linear_in_each(std::make_shared<graph::BiasActivation>(Activation::relu, graph::Features::last, false),
                           {z});
    check_linear_in_each(std::make_shared<graph::Add>(), {x, y});
  }
}

TEST_CASE("derivatives of max pooling equal central differences") {
  using Pool = graph::PoolAttributes;
  for (const auto& geometry : {Pool{2, 2}, {3, 2}, {2, 1}, {1, 2}, {3, 2, 1}, {3, 1, 2}, {4, 3, 1}}) {
    // A permutation of whole numbers: no step of 1/4 changes which is the largest.
    auto x = test::zeros({{2, 2, 7, 5}});
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i * 37 % x.values.size());
    check_linear_in_each(std::make_shared<graph::MaxPool2d>(geometry), {x});
  }
}

TEST_CASE("derivatives of average pooling equal central differences") {
  const auto x = test::random_tensor({2, 2, 7, 5}, "x"), pixel = test::random_tensor({1, 3, 1, 1}, "x");
  using Pool = graph::PoolAttributes;
  for (const auto& geometry : {Pool{2, 2}, {3, 2}, {2, 1}, {1, 2}, {3, 2, 1}, {3, 1, 2}, {4, 3, 1}})
    check_linear_in_each(std::make_shared<graph::AveragePool2d>(geometry), {x});
  check_linear_in_each(std::make_shared<graph::AveragePool2d>(Pool{3, 1, 1}), {pixel});
  for (const auto& [height, width] : {std::pair{1, 1}, {3, 2}, {7, 5}, {9, 8}, {2, 11}})
    check_linear_in_each(std::make_shared<graph::AdaptiveAveragePool2d>(height, width), {x});
  check_linear_in_each(std::make_shared<graph::AdaptiveAveragePool2d>(2, 2), {pixel});
}

TEST_CASE("derivatives of cross-entropy equal central differences") {
  const auto logits = test::random_tensor({5, 4}, "logits", -2, 2);
  HostTensor one = test::zeros({{1}});
  one.values[0] = 1;
  graph::Scalars scalars;
  scalars.inverse_count = 0.25f;
  // The third derivative of log Σ exp is a third central moment of a 0/1 variable: at most 1/(6√3) < 0.1.
  // With ε |L| / h of rounding, 2⁻⁷ is near the best step.
  const auto right = test::labels({0, 3, -1, 2, 2});
  for (const float smoothing : {0.0f, 0.2f})
    check({std::make_shared<graph::CrossEntropy>(smoothing), {logits, right}, one, 0x1p-7f, 0.1 * 0.25, scalars});
}

TEST_CASE("derivatives of fused linear cross-entropy equal central differences") {
  HostTensor one = test::zeros({{1}});
  one.values[0] = 1;
  graph::Scalars scalars;
  scalars.inverse_count = 0.25f;
  const auto x = test::random_tensor({2, 3, 5}, "x"), w = test::random_tensor({7, 5}, "w");
  const auto right = test::labels({0, 6, -1, 2, 2, 5}, {2, 3});
  // A step of x changes seven logits by as much, times at most 1; a step of w one logit of each of six rows. Third
  // cumulants of numbers in [−1, 1] are below 1.
  for (const float smoothing : {0.0f, 0.2f})
    check({std::make_shared<graph::LinearCrossEntropy>(smoothing), {x, w, right}, one, 0x1p-6f, 6 * 0.25, scalars});
}

TEST_CASE("derivatives of the mean squared error equal central differences") {
  HostTensor one = test::zeros({{1}});
  one.values[0] = 1;
  graph::Scalars scalars;
  scalars.inverse_count = 0.25f;
  const auto scores = test::random_tensor({5, 4}, "scores", -2, 2);
  const auto right = test::labels({0, 3, -1, 2, 2});
  check({std::make_shared<graph::MeanSquaredError>(), {scores, right}, one, 0.25f, 0, scalars});
}

TEST_CASE("derivatives of embedding and positions equal central differences") {
  const auto x = test::random_tensor({2, 3, 4}, "x"), table = test::random_tensor({5, 4}, "table");
  check_linear_in_each(std::make_shared<graph::Embedding>(), {test::labels({4, 0, 4, 2, 4, 0}, {2, 3}), table});
  check_linear_in_each(std::make_shared<graph::AddPositions>(), {x, test::random_tensor({3, 4}, "p")});
}

TEST_CASE("derivatives of linear layers over positions equal central differences") {
  const auto x = test::random_tensor({2, 3, 4}, "x"), w = test::random_tensor({5, 4}, "w");
  check_linear_in_each(std::make_shared<graph::Linear>(true, Activation::relu), {x, w, decisive_bias(5, 6)});
}

TEST_CASE("derivatives of gelu equal central differences") {
  for (const auto form : {graph::GeluForm::exact, graph::GeluForm::tanh}) {
    const auto op = std::make_shared<graph::Gelu>(form);
    const auto x = test::random_tensor({3, 8}, "x", -4, 4);
    // The third derivative is φ(x) (x³ − 4x), at most 0.8; weights are at most 1.5.
    check({op, {x}, weights_for(op, {x}), 0x1p-6f, 1.5});
  }
}

TEST_CASE("derivatives of layer norm equal central differences") {
  const auto op = std::make_shared<graph::LayerNorm>(1e-5f);
  const std::vector<HostTensor> inputs{test::random_tensor({2, 2, 6}, "x", -4, 4),
                                       test::random_tensor({6}, "gamma", 0.5f, 1.5f), test::random_tensor({6}, "beta")};
  // y = u r, u linear in x and r = 1/σ, whose second and third derivatives are at most 3r³ and 15r⁴. With
  // |u| ≤ √6 σ that of y is at most (15√6 + 9) r³; here r³ < 0.3, and a row's six outputs weigh at most 2.25 each.
  check({op, inputs, weights_for(op, inputs), 0x1p-7f, 200});
}

TEST_CASE("derivatives of attention equal central differences") {
  const auto op = std::make_shared<graph::Attention>(4);
  const std::vector<HostTensor> inputs{test::random_tensor({2, 5, 24}, "qkv")};
  // A step changes scores by at most half of it; third derivatives of a softmax's mean are fourth cumulants, below
  // 10 (1/2)³ for values in [−1, 1]; a key counts in 5 queries of 4 outputs, each weighing 1.5.
  check({op, inputs, weights_for(op, inputs), 0x1p-7f, 40});
}

namespace {

/// The value of `wanted` once every node has run.
HostTensor run_graph(kernels::Device& device, const graph::Graph& graph, std::map<graph::TensorId, HostTensor> values,
                     graph::TensorId wanted) {
  for (const auto& node : graph.nodes) {
    test::Run run{node.op, {}, {}};
    for (const auto id : node.inputs) run.inputs.push_back(values.at(id));
    const auto results = test::run(device, run);
    for (std::size_t o = 0; o < results.size(); ++o) values[node.outputs[o]] = results[o];
  }
  return values.at(wanted);
}

}  // namespace

TEST_CASE("a table used as embedding and as last layer gets the sum of both gradients") {
  graph::Graph graph;
  const auto tokens = graph.add_tensor({"tokens", {{2, 3}, graph::DType::i32}, graph::Role::input});
  const auto next = graph.add_tensor({"labels", {{2, 3}, graph::DType::i32}, graph::Role::label});
  const auto table = graph.add_tensor({"table", {{4, 5}, graph::DType::f32}, graph::Role::parameter});
  const auto x = graph.add("embedding", std::make_shared<graph::Embedding>(), {tokens, table})[0];
  const auto head = std::make_shared<graph::Linear>(false, Activation::none);
  const auto logits = graph.add("head", head, {x, table})[0];
  const auto metrics = graph.add("loss", std::make_shared<graph::CrossEntropy>(), {logits, next});
  for (const auto metric : metrics) graph.tensors[static_cast<std::size_t>(metric)].role = graph::Role::metric;
  const graph::Graph training = graph::differentiate(graph);
  const auto& sum = training.nodes.back();
  CHECK(sum.op->kind() == "add");
  CHECK(sum.phase == graph::Phase::backward_weight);

  const auto device = test::device("reference");
  const std::map<graph::TensorId, HostTensor> values{{tokens, test::labels({0, 3, 1, 3, 3, 0}, {2, 3})},
                                                     {next, test::labels({3, 1, 2, 3, 0, 1}, {2, 3})},
                                                     {table, test::random_tensor({4, 5}, "table")}};
  const auto gradient = run_graph(*device, training, values, training.gradients[static_cast<std::size_t>(table)]);
  constexpr float step = 0x1p-6f;
  for (std::size_t e = 0; e < gradient.values.size(); ++e) {
    auto above = values, below = values;
    above.at(table).values[e] += step;
    below.at(table).values[e] -= step;
    const double difference = (double{run_graph(*device, graph, above, metrics[0]).values[0]} -
                               run_graph(*device, graph, below, metrics[0]).values[0]) /
                              (2 * step);
    // ε times a loss near 10 over the step, and h²/6 of third derivatives near 30 of six logits' log-sum-exp.
    CHECK(gradient.values[e] == Approx(difference).margin(2e-3));
  }
}
