#include "workloads/models/builder.h"

#include <fmt/core.h>
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t smallest_vgg = 32;  ///< halved five times
constexpr WeightInit classifier_start{WeightInit::Rule::normal, 0.01F};

/// A stage: 3x3 convolutions, then a pooling that halves the image.
struct Stage {
  int convolutions;
  std::int64_t channels;
};

constexpr Stage stages[] = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};

/// Builds torchvision's vgg16 with its layer numbers. torchvision counts each ReLU as a layer; here it is fused into
/// the convolution before it.
graph::Graph build_vgg(const ModelRequest& request) {
  require_image("vgg16", request.shape, smallest_vgg, "five poolings of 2x2");
  const double rate = value_of<double>(request.options, "dropout");
  Builder net("vgg16", request);
  graph::TensorId x = net.input();
  int layer = 0;
  const auto next = [&layer](int layers) {
    const int number = layer;
    layer += layers;
    return fmt::format("features.{}", number);
  };
  for (const Stage& stage : stages) {
    for (int i = 0; i < stage.convolutions; ++i) {
      x = net.convolution(next(2), x, {stage.channels, 3, {1, 1}, relu, true, {WeightInit::Rule::fan_out}});
    }
    x = net.max_pool(next(1), x, {2, 2});
  }
  x = net.adaptive_average_pool("avgpool", x, 7);
  x = net.flatten("flatten", x);
  x = net.linear("classifier.0", x, {4096, relu, true, classifier_start});
  x = net.dropout("classifier.2", x, rate);
  x = net.linear("classifier.3", x, {4096, relu, true, classifier_start});
  x = net.dropout("classifier.5", x, rate);
  x = net.linear("classifier.6", x, {request.shape.classes, graph::Activation::none, true, classifier_start});
  return std::move(net).finish(x);
}

}  // namespace

ModelKind vgg16() {
  return {"vgg16",
          "VGG-16 in torchvision's form (Simonyan & Zisserman 2014): 138,357,544 parameters with 1000 classes",
          {classifier_dropout()},
          build_vgg,
          imagenet_samples};
}

}  // namespace ddlbench::workloads
