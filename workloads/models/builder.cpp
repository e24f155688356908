#include "workloads/models/builder.h"

#include <fmt/core.h>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "graph/ops/dropout.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/shape.h"

namespace ddlbench::workloads {
namespace {

using graph::Initializer;
using graph::Shape;
using graph::TensorId;

Shape with_batch_dimension(std::int64_t batch, const Shape& sample) {
  Shape shape{batch};
  shape.insert(shape.end(), sample.begin(), sample.end());
  return shape;
}

constexpr Initializer constant(float value) {
  return {Initializer::Kind::constant, value, 0};
}

struct Initial {
  Initializer weight, bias;
};

Initial initial(const WeightInit& start, std::int64_t fan_in, std::int64_t fan_out) {
  switch (start.rule) {
    case WeightInit::Rule::fan_in: {
      const float bound = 1.0F / std::sqrt(static_cast<float>(fan_in));
      const Initializer uniform{Initializer::Kind::uniform, -bound, bound};
      return {uniform, uniform};
    }
    case WeightInit::Rule::fan_out:
      return {{Initializer::Kind::normal, 0, std::sqrt(2.0F / static_cast<float>(fan_out))}, constant(0)};
    case WeightInit::Rule::normal:
      return {{Initializer::Kind::normal, 0, start.deviation}, constant(0)};
  }
  throw ContractError("unknown rule for initial weights");
}

std::int64_t channels_of(const std::string& name, const Shape& x) {
  if (x.size() == 4) return x[1];
  throw InputError(fmt::format("{}: a convolution needs images [batch, channels, height, width], but its input is {}",
                               name, graph::to_string(x)));
}

}  // namespace

Builder::Builder(std::string model, const ModelRequest& request) : shape_(request.shape), loss_(request.loss) {
  const std::int64_t batch = request.batch;
  if (batch <= 0) throw InputError(fmt::format("{}: the batch must be positive, but is {}", model, batch));
  if (shape_.classes <= 0) {
    throw InputError(fmt::format("{}: the data set must have classes, but has {}", model, shape_.classes));
  }
  graph_.name = std::move(model);
  const char* name = shape_.is_text() ? "tokens" : "images";
  input_ = graph_.add_tensor(
      {name, {with_batch_dimension(batch, shape_.sample.shape), shape_.sample.dtype}, graph::Role::input});
}

const graph::TensorType& Builder::type_of(TensorId tensor) const {
  return graph_.tensors[static_cast<std::size_t>(tensor)].type;
}

TensorId Builder::parameter(std::string name, Shape shape, Initializer initializer) {
  return graph_.add_tensor(
      {std::move(name), {std::move(shape), graph::DType::f32}, graph::Role::parameter, initializer});
}

void Builder::require_few() const {
  if (graph_.nodes.size() <= max_layers) return;
  throw InputError(
      fmt::format("{}: has more than the {} layers that a model may have; use fewer", graph_.name, max_layers));
}

TensorId Builder::add(const std::string& name, graph::OpPtr op, std::vector<TensorId> inputs) {
  require_few();
  return graph_.add(name, std::move(op), std::move(inputs)).front();
}

TensorId Builder::linear(const std::string& name, TensorId x, const LinearLayer& layer) {
  const std::int64_t features = shape_of(x).back();
  const Initial start = initial(layer.start, features, layer.width);
  std::vector<TensorId> inputs{x, parameter(name + ".weight", {layer.width, features}, start.weight)};
  if (layer.bias) inputs.push_back(parameter(name + ".bias", {layer.width}, start.bias));
  return add(name, std::make_shared<graph::Linear>(layer.bias, layer.activation), std::move(inputs));
}

TensorId Builder::convolution(const std::string& name, TensorId x, const ConvolutionLayer& layer) {
  const std::int64_t channels = channels_of(name, shape_of(x));
  const int groups = layer.geometry.groups;
  if (groups <= 0 || channels % groups != 0 || layer.channels % groups != 0) {
    throw InputError(fmt::format("{}: {} channels and {} outputs do not both divide into {} groups", name, channels,
                                 layer.channels, groups));
  }
  const std::int64_t seen = channels / groups;
  const std::int64_t window = layer.kernel * layer.kernel;
  graph::elements({layer.channels, seen, window});  // throws if the fan-out below would overflow
  const Initial start = initial(layer.start, seen * window, layer.channels * window);
  std::vector<TensorId> inputs{
      x, parameter(name + ".weight", {layer.channels, seen, layer.kernel, layer.kernel}, start.weight)};
  if (layer.bias) inputs.push_back(parameter(name + ".bias", {layer.channels}, start.bias));
  return add(name, std::make_shared<graph::Conv2d>(layer.geometry, layer.bias, layer.activation), std::move(inputs));
}

TensorId Builder::batch_norm(const std::string& name, TensorId x, TensorId residual, const BatchNormLayer& layer) {
  return graph::add_batch_norm(graph_, name, x, residual, {layer.samples, layer.epsilon}, layer.activation,
                               layer.momentum);
}

TensorId Builder::layer_norm(const std::string& name, TensorId x, float epsilon) {
  const std::int64_t features = shape_of(x).back();
  const TensorId gamma = parameter(name + ".weight", {features}, constant(1));
  const TensorId beta = parameter(name + ".bias", {features}, constant(0));
  return add(name, std::make_shared<graph::LayerNorm>(epsilon), {x, gamma, beta});
}

TensorId Builder::max_pool(const std::string& name, TensorId x, graph::PoolAttributes geometry) {
  return add(name, std::make_shared<graph::MaxPool2d>(geometry), {x});
}

TensorId Builder::adaptive_average_pool(const std::string& name, TensorId x, std::int64_t side) {
  return add(name, std::make_shared<graph::AdaptiveAveragePool2d>(side, side), {x});
}

TensorId Builder::flatten(const std::string& name, TensorId x) {
  if (shape_of(x).size() == 2) return x;
  return add(name, std::make_shared<graph::Flatten>(), {x});
}

TensorId Builder::dropout(const std::string& name, TensorId x, double rate) {
  return graph::add_dropout(graph_, name, x, static_cast<float>(rate));
}

TensorId Builder::labels() {
  return graph_.add_tensor({"labels",
                            {with_batch_dimension(shape_of(input_).front(), shape_.label), graph::DType::i32},
                            graph::Role::label});
}

graph::Graph Builder::finish(TensorId logits) && {
  graph::OpPtr loss, evaluated;
  if (loss_.kind == LossChoice::Kind::cross_entropy) {
    loss = std::make_shared<graph::CrossEntropy>(loss_.label_smoothing);
    if (loss_.label_smoothing > 0) evaluated = std::make_shared<graph::CrossEntropy>();
  } else if (shape_.is_text()) {
    throw InputError(graph_.name + ": mean squared error needs one label per sample, but a text has one per position");
  } else {
    loss = std::make_shared<graph::MeanSquaredError>();
  }
  return std::move(*this).end(std::move(loss), {logits}, std::move(evaluated));
}

graph::Graph Builder::finish_with_head(TensorId x, TensorId weight) && {
  if (loss_.kind != LossChoice::Kind::cross_entropy) {
    throw InputError(graph_.name + ": a fused linear cross-entropy (fused_head) supports no other loss");
  }
  graph::OpPtr evaluated;
  if (loss_.label_smoothing > 0) evaluated = std::make_shared<graph::LinearCrossEntropy>();
  return std::move(*this).end(std::make_shared<graph::LinearCrossEntropy>(loss_.label_smoothing), {x, weight},
                              std::move(evaluated));
}

graph::Graph Builder::end(graph::OpPtr loss, std::vector<TensorId> inputs, graph::OpPtr evaluated) && {
  require_few();
  inputs.push_back(labels());
  const std::vector<TensorId> metrics = graph_.add("loss", std::move(loss), inputs);
  if (evaluated) graph_.nodes.back().evaluation = graph::Substitute{std::move(evaluated), std::move(inputs)};
  const char* names[] = {"loss", "correct", "correct_top5"};
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    graph::TensorSpec& metric = graph_.tensors[static_cast<std::size_t>(metrics[i])];
    metric.name = names[i];
    metric.role = graph::Role::metric;
  }
  return std::move(graph_);
}

SampleShape mnist_samples(const OptionValues&) {
  return {{{1, 28, 28}, graph::DType::f32}, {}, 10};
}

SampleShape imagenet_samples(const OptionValues&) {
  return {{{3, 224, 224}, graph::DType::f32}, {}, 1000};
}

Option classifier_dropout() {
  return {"dropout", 0.5, "dropout rate of the classifier's inputs", 0, {}, 0.999};
}

void require_image(const std::string& model, const SampleShape& shape, std::int64_t smallest, const std::string& why) {
  const graph::Shape& sample = shape.sample.shape;
  const std::string found = "the data set's samples are " + graph::to_string(shape.sample);
  if (sample.size() != 3 || shape.sample.dtype != graph::DType::f32 || !shape.label.empty()) {
    throw InputError(
        fmt::format("{} needs f32 images of channels x height x width with one label each, but {}", model, found));
  }
  if (sample[1] < smallest || sample[2] < smallest) {
    const std::string side = std::to_string(smallest);
    throw InputError(fmt::format("{} needs images of at least {}x{} ({}), but {}", model, side, side, why, found));
  }
}

}  // namespace ddlbench::workloads
