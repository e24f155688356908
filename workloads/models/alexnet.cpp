#include "workloads/models/builder.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t smallest_alexnet = 63;  ///< for which the last pooling has 1x1 outputs

/// Builds torchvision's alexnet: the single-column network of Krizhevsky 2014, "One weird trick". ReLU is fused into
/// the preceding layer.
graph::Graph build_alexnet(const ModelRequest& request) {
  require_image("alexnet", request.shape, smallest_alexnet, "strides of 4, 2, 2 and 2");
  const double rate = value_of<double>(request.options, "dropout");
  Builder net("alexnet", request);
  graph::TensorId x = net.input();
  x = net.convolution("features.0", x, {64, 11, {4, 2}, relu});
  x = net.max_pool("features.2", x, {3, 2});
  x = net.convolution("features.3", x, {192, 5, {1, 2}, relu});
  x = net.max_pool("features.5", x, {3, 2});
  x = net.convolution("features.6", x, {384, 3, {1, 1}, relu});
  x = net.convolution("features.8", x, {256, 3, {1, 1}, relu});
  x = net.convolution("features.10", x, {256, 3, {1, 1}, relu});
  x = net.max_pool("features.12", x, {3, 2});
  x = net.adaptive_average_pool("avgpool", x, 6);
  x = net.flatten("flatten", x);
  x = net.dropout("classifier.0", x, rate);
  x = net.linear("classifier.1", x, {4096, relu});
  x = net.dropout("classifier.3", x, rate);
  x = net.linear("classifier.4", x, {4096, relu});
  x = net.linear("classifier.6", x, {request.shape.classes});
  return std::move(net).finish(x);
}

}  // namespace

ModelKind alexnet() {
  return {"alexnet",
          "AlexNet in torchvision's form (Krizhevsky 2014): 61,100,840 parameters with 1000 classes",
          {classifier_dropout()},
          build_alexnet,
          imagenet_samples};
}

}  // namespace ddlbench::workloads
