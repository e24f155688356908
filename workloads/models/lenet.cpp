#include "graph/error.h"
#include "workloads/models/builder.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t kernel = 5;
constexpr std::int64_t smallest = 16;  ///< 16 -> conv 12 -> pool 6 -> conv 2 -> pool 1

void require_image(const SampleShape& shape) {
  const graph::Shape& sample = shape.sample.shape;
  const std::string found = "the data set's samples are " + graph::to_string(shape.sample);
  if (sample.size() != 3 || shape.sample.dtype != graph::DType::f32 || !shape.label.empty()) {
    throw InputError("lenet needs f32 images of channels x height x width with one label each, but " + found);
  }
  if (sample[1] < smallest || sample[2] < smallest) {
    throw InputError("lenet needs images of at least " + std::to_string(smallest) + "x" + std::to_string(smallest) +
                     " (two 5x5 convolutions, each followed by a 2x2 pooling), but " + found +
                     "; use the model mlp for smaller ones");
  }
}

graph::Graph build(const SampleShape& shape, std::int64_t batch, const graph::OptionValues&) {
  require_image(shape);
  Builder net("lenet", shape, batch);
  graph::TensorId x = net.input();
  x = net.convolution("conv1", x, 6, kernel, graph::Activation::relu);
  x = net.max_pool("pool1", x, 2);
  x = net.convolution("conv2", x, 16, kernel, graph::Activation::relu);
  x = net.max_pool("pool2", x, 2);
  x = net.flatten("flatten", x);
  x = net.linear("fc1", x, 120, graph::Activation::relu);
  x = net.linear("fc2", x, 84, graph::Activation::relu);
  x = net.linear("fc3", x, shape.classes, graph::Activation::none);
  return std::move(net).finish(x);
}

}  // namespace

ModelKind lenet() {
  return {"lenet", "LeNet-5 (LeCun et al. 1998) with ReLU and max pooling: 44,426 parameters on 1x28x28", {}, build};
}

}  // namespace ddlbench::workloads
