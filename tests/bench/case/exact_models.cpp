#include "exact_models.h"

#include "graph/ops/attention.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/dropout.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"

namespace ddlbench::test {

using graph::Activation;
using graph::Role;
using graph::TensorId;

namespace {

constexpr std::int64_t classes = model_classes;
constexpr std::int64_t positions = text_positions;

TensorId parameter(graph::Graph& g, const std::string& name, graph::Shape shape, float spread, float mean = 0) {
  return g.add_tensor({name,
                       {std::move(shape), graph::DType::f32},
                       Role::parameter,
                       {graph::Initializer::Kind::uniform, mean - spread, mean + spread}});
}

void finish(graph::Graph& g, const graph::OpPtr& loss, std::vector<TensorId> inputs, graph::Shape labels) {
  inputs.push_back(g.add_tensor({"labels", {std::move(labels), graph::DType::i32}, Role::label}));
  const char* names[] = {"loss", "correct", "correct_top5"};
  const auto metrics = g.add("loss", loss, std::move(inputs));
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    g.tensors[static_cast<std::size_t>(metrics[i])].role = Role::metric;
    g.tensors[static_cast<std::size_t>(metrics[i])].name = names[i];
  }
}

TensorId convolution(graph::Graph& g, const std::string& name, TensorId x, std::int64_t in, std::int64_t out,
                     int stride) {
  const TensorId w = parameter(g, name + ".weight", {out, in, 3, 3}, 0.4F);
  return g.add(name, std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{stride, 1}, false, Activation::none),
               {x, w})[0];
}

TensorId linear(graph::Graph& g, const std::string& name, TensorId x, std::int64_t in, std::int64_t out,
                Activation activation) {
  const TensorId w = parameter(g, name + ".weight", {out, in}, 0.5F);
  const TensorId b = parameter(g, name + ".bias", {out}, 0.1F);
  return g.add(name, std::make_shared<graph::Linear>(true, activation), {x, w, b})[0];
}

TensorId layer_norm(graph::Graph& g, const std::string& name, TensorId x, std::int64_t hidden) {
  const TensorId gamma = parameter(g, name + ".weight", {hidden}, 0.1F, 1);
  const TensorId beta = parameter(g, name + ".bias", {hidden}, 0.1F);
  return g.add(name, std::make_shared<graph::LayerNorm>(1e-5F), {x, gamma, beta})[0];
}

}  // namespace

graph::Graph images(std::int64_t batch, std::int64_t samples) {
  graph::Graph g;
  g.name = "images";
  TensorId x = g.add_tensor({"images", {{batch, 2, 6, 6}, graph::DType::f32}, Role::input});
  const graph::BatchNormAttributes norm{samples, 1e-5F};
  x = convolution(g, "conv1", x, 2, 4, 2);
  x = add_batch_norm(g, "bn1", x, graph::absent, norm, Activation::relu);
  const TensorId shortcut = x;
  x = convolution(g, "conv2", x, 4, 4, 1);
  x = add_batch_norm(g, "bn2", x, shortcut, norm, Activation::relu);
  x = add_dropout(g, "drop1", x, 0.2F);
  x = g.add("flatten", std::make_shared<graph::Flatten>(), {x})[0];
  x = linear(g, "fc1", x, 36, 12, Activation::relu);
  x = add_dropout(g, "drop2", x, 0.3F);
  x = linear(g, "fc2", x, 12, 8, Activation::relu);
  x = linear(g, "fc3", x, 8, classes, Activation::none);
  finish(g, std::make_shared<graph::CrossEntropy>(0.1F), {x}, {batch});
  return g;
}

graph::Graph pooled_images(std::int64_t batch) {
  graph::Graph g;
  g.name = "images";
  const graph::BatchNormAttributes whole_batch{0, 1e-2F};
  const auto add_convolution = [&g](const std::string& name, TensorId x, graph::Shape filter,
                                    graph::ConvolutionAttributes geometry, Activation activation) {
    const TensorId b = parameter(g, name + ".bias", {filter[0]}, 0.1F);
    const TensorId w = parameter(g, name + ".weight", std::move(filter), 0.4F);
    return g.add(name, std::make_shared<graph::Conv2d>(geometry, true, activation), {x, w, b})[0];
  };
  TensorId x = g.add_tensor({"images", {{batch, 3, 9, 9}, graph::DType::f32}, Role::input});
  x = add_convolution("conv1", x, {8, 3, 3, 3}, {1, 1}, Activation::relu);
  x = g.add("pool", std::make_shared<graph::MaxPool2d>(graph::PoolAttributes{3, 2, 1}), {x})[0];
  const TensorId shortcut = x;
  x = add_convolution("conv2", x, {4, 8, 1, 1}, {}, Activation::none);
  x = add_batch_norm(g, "bn2", x, graph::absent, whole_batch, Activation::relu);
  x = add_convolution("conv3", x, {8, 2, 3, 3}, {1, 1, 1, 2}, Activation::none);
  x = add_batch_norm(g, "bn3", x, shortcut, whole_batch, Activation::relu);
  x = convolution(g, "conv4", x, 8, 6, 2);
  x = g.add("mean", std::make_shared<graph::AdaptiveAveragePool2d>(1, 1), {x})[0];
  x = g.add("flatten", std::make_shared<graph::Flatten>(), {x})[0];
  x = linear(g, "fc", x, 6, classes, Activation::none);
  finish(g, std::make_shared<graph::CrossEntropy>(), {x}, {batch});
  return g;
}

graph::Graph images_around(std::int64_t batch, float mean) {
  graph::Graph g;
  g.name = "images";
  const graph::BatchNormAttributes whole_batch{0, 1e-5F};
  TensorId x = g.add_tensor({"images", {{batch, 2, 6, 6}, graph::DType::f32}, Role::input});
  x = add_batch_norm(g, "bn1", x, graph::absent, whole_batch, Activation::none, 1);
  const TensorId w = parameter(g, "conv.weight", {4, 2, 3, 3}, 0.4F), b = parameter(g, "conv.bias", {4}, 0, mean);
  x = g.add("conv", std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{2, 1}, true, Activation::none),
            {x, w, b})[0];
  x = add_batch_norm(g, "bn2", x, graph::absent, whole_batch, Activation::relu, 1);
  x = g.add("flatten", std::make_shared<graph::Flatten>(), {x})[0];
  x = linear(g, "fc1", x, 36, 12, Activation::relu);
  x = linear(g, "fc2", x, 12, classes, Activation::none);
  finish(g, std::make_shared<graph::CrossEntropy>(), {x}, {batch});
  return g;
}

graph::Graph text(std::int64_t batch, bool fused_head) {
  constexpr std::int64_t hidden = 8, vocabulary = classes;
  graph::Graph g;
  g.name = "text";
  const TensorId tokens = g.add_tensor({"tokens", {{batch, positions}, graph::DType::i32}, Role::input});
  const TensorId table = parameter(g, "wte.weight", {vocabulary, hidden}, 0.5F);
  TensorId x = g.add("wte", std::make_shared<graph::Embedding>(), {tokens, table})[0];
  x = g.add("wpe", std::make_shared<graph::AddPositions>(),
            {x, parameter(g, "wpe.weight", {positions, hidden}, 0.5F)})[0];
  x = add_dropout(g, "drop", x, 0.1F);
  for (const std::string name : {"h.0", "h.1"}) {
    TensorId y = layer_norm(g, name + ".ln_1", x, hidden);
    y = linear(g, name + ".c_attn", y, hidden, 3 * hidden, Activation::none);
    y = g.add(name + ".attn", std::make_shared<graph::Attention>(hidden / 4), {y})[0];
    y = linear(g, name + ".c_proj", y, hidden, hidden, Activation::none);
    y = add_dropout(g, name + ".drop", y, 0.2F);
    x = g.add(name + ".add", std::make_shared<graph::Add>(), {x, y})[0];
    y = layer_norm(g, name + ".ln_2", x, hidden);
    y = linear(g, name + ".c_fc", y, hidden, 16, Activation::none);
    y = g.add(name + ".gelu", std::make_shared<graph::Gelu>(graph::GeluForm::tanh), {y})[0];
    y = linear(g, name + ".c_out", y, 16, hidden, Activation::none);
    x = g.add(name + ".add2", std::make_shared<graph::Add>(), {x, y})[0];
  }
  x = layer_norm(g, "ln_f", x, hidden);
  if (fused_head) {
    finish(g, std::make_shared<graph::LinearCrossEntropy>(0.1F), {x, table}, {batch, positions});
    return g;
  }
  x = g.add("lm_head", std::make_shared<graph::Linear>(false, Activation::none), {x, table})[0];
  finish(g, std::make_shared<graph::CrossEntropy>(0.1F), {x}, {batch, positions});
  return g;
}

}  // namespace ddlbench::test
