#include "workloads/models/builder.h"

#include <cmath>
#include <memory>

#include "graph/error.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"

namespace ddlbench::workloads {
namespace {

using graph::Shape;
using graph::TensorId;

Shape with_batch_dimension(std::int64_t batch, const Shape& sample) {
  Shape shape{batch};
  shape.insert(shape.end(), sample.begin(), sample.end());
  return shape;
}

graph::Initializer uniform_by(std::int64_t fan_in) {
  const float bound = 1.0F / std::sqrt(static_cast<float>(fan_in));
  return {graph::Initializer::Kind::uniform, -bound, bound};
}

}  // namespace

Builder::Builder(std::string model, const SampleShape& shape, std::int64_t batch) : shape_(shape) {
  if (batch <= 0) throw InputError(model + ": the batch must be positive, but is " + std::to_string(batch));
  if (shape.classes <= 0) {
    throw InputError(model + ": the data set must have classes, but has " + std::to_string(shape.classes));
  }
  graph_.name = std::move(model);
  const char* name = shape.is_text() ? "tokens" : "images";
  input_ = graph_.add_tensor(
      {name, {with_batch_dimension(batch, shape.sample.shape), shape.sample.dtype}, graph::Role::input});
}

const Shape& Builder::shape_of(TensorId tensor) const {
  return graph_.tensors[static_cast<std::size_t>(tensor)].type.shape;
}

TensorId Builder::parameter(std::string name, Shape shape, graph::Initializer initializer) {
  return graph_.add_tensor(
      {std::move(name), {std::move(shape), graph::DType::f32}, graph::Role::parameter, initializer});
}

TensorId Builder::add(const std::string& name, graph::OpPtr op, std::vector<TensorId> inputs) {
  return graph_.add(name, std::move(op), std::move(inputs)).front();
}

TensorId Builder::linear(const std::string& name, TensorId x, std::int64_t width, graph::Activation activation) {
  const std::int64_t features = shape_of(x).at(1);
  const TensorId weight = parameter(name + ".weight", {width, features}, uniform_by(features));
  const TensorId bias = parameter(name + ".bias", {width}, uniform_by(features));
  return graph_.add(name, std::make_shared<graph::Linear>(true, activation), {x, weight, bias}).front();
}

TensorId Builder::convolution(const std::string& name, TensorId x, std::int64_t channels, std::int64_t kernel,
                              graph::Activation activation) {
  const std::int64_t input_channels = shape_of(x).at(1);
  const std::int64_t fan_in = input_channels * kernel * kernel;
  const TensorId weight = parameter(name + ".weight", {channels, input_channels, kernel, kernel}, uniform_by(fan_in));
  const TensorId bias = parameter(name + ".bias", {channels}, uniform_by(fan_in));
  auto op = std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{}, true, activation);
  return graph_.add(name, std::move(op), {x, weight, bias}).front();
}

TensorId Builder::max_pool(const std::string& name, TensorId x, int kernel) {
  return graph_.add(name, std::make_shared<graph::MaxPool2d>(kernel, kernel), {x}).front();
}

TensorId Builder::flatten(const std::string& name, TensorId x) {
  if (shape_of(x).size() == 2) return x;
  return graph_.add(name, std::make_shared<graph::Flatten>(), {x}).front();
}

graph::Graph Builder::finish(TensorId logits) && {
  const std::int64_t batch = shape_of(input_).front();
  const TensorId labels =
      graph_.add_tensor({"labels", {with_batch_dimension(batch, shape_.label), graph::DType::i32}, graph::Role::label});
  const std::vector<TensorId> metrics = graph_.add("loss", std::make_shared<graph::CrossEntropy>(), {logits, labels});
  const char* names[] = {"loss", "correct"};
  for (std::size_t i = 0; i < 2; ++i) {
    graph::TensorSpec& metric = graph_.tensors[static_cast<std::size_t>(metrics.at(i))];
    metric.name = names[i];
    metric.role = graph::Role::metric;
  }
  return std::move(graph_);
}

}  // namespace ddlbench::workloads
