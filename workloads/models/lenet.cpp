#include "workloads/models/builder.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t kernel = 5;
constexpr std::int64_t smallest_lenet = 16;  ///< 16 -> conv 12 -> pool 6 -> conv 2 -> pool 1

graph::Graph build_lenet(const ModelRequest& request) {
  require_image("lenet", request.shape, smallest_lenet,
                "two 5x5 convolutions, each followed by a 2x2 pooling; use the model mlp for smaller images");
  Builder net("lenet", request);
  graph::TensorId x = net.input();
  x = net.convolution("conv1", x, {6, kernel, {}, relu});
  x = net.max_pool("pool1", x, {2, 2});
  x = net.convolution("conv2", x, {16, kernel, {}, relu});
  x = net.max_pool("pool2", x, {2, 2});
  x = net.flatten("flatten", x);
  x = net.linear("fc1", x, {120, relu});
  x = net.linear("fc2", x, {84, relu});
  x = net.linear("fc3", x, {request.shape.classes});
  return std::move(net).finish(x);
}

}  // namespace

ModelKind lenet() {
  return {"lenet",
          "LeNet-5 (LeCun et al. 1998) with ReLU and max pooling: 44,426 parameters on 1x28x28",
          {},
          build_lenet,
          mnist_samples};
}

}  // namespace ddlbench::workloads
