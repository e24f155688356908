#include "base/error.h"

#include <fmt/core.h>
#include "workloads/models/builder.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

graph::Graph build_mlp(const ModelRequest& request) {
  const SampleShape& shape = request.shape;
  if (shape.sample.shape.empty() || shape.sample.dtype != graph::DType::f32 || !shape.label.empty()) {
    throw InputError("mlp needs f32 samples with one label each, but the data set's samples are " +
                     graph::to_string(shape.sample));
  }
  Builder net("mlp", request);
  graph::TensorId x = net.flatten("flatten", net.input());
  int layer = 0;
  for (const std::int64_t width : value_of<Integers>(request.options, "hidden")) {
    x = net.linear(fmt::format("fc{}", ++layer), x, {width, graph::Activation::relu});
  }
  x = net.linear(fmt::format("fc{}", ++layer), x, {shape.classes});
  return std::move(net).finish(x);
}

}  // namespace

ModelKind mlp() {
  return {"mlp",
          "fully connected layers with ReLU between them",
          {{"hidden", Integers{512, 256}, "widths of the hidden layers; empty: none", 1, {}, widest_layer}},
          build_mlp,
          mnist_samples};
}

}  // namespace ddlbench::workloads
