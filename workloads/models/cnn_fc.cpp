#include "workloads/models/builder.h"

#include <fmt/core.h>
#include "workloads/models/models.h"
#include "workloads/models/number_list.h"

namespace ddlbench::workloads {
namespace {

constexpr double largest_window = 1 << 10;

/// The attributes of the convolutions, one entry for each.
struct Convolutions {
  Integers channels, kernel, stride, padding, pool;
};

Convolutions convolutions_of(const OptionValues& options) {
  const auto numbers = [&options](const char* name) { return value_of<Integers>(options, name); };
  const Integers channels = numbers("channels");
  const auto of_each = [&](const char* name) {
    return one_of_each(std::string("cnn-fc: ") + name, numbers(name), channels.size());
  };
  return {channels, of_each("kernel"), of_each("stride"), of_each("padding"), of_each("pool")};
}

/// Builds (convolution, ReLU, max pooling) …, (linear, ReLU) …, linear.
graph::Graph build_cnn_fc(const ModelRequest& request) {
  require_image("cnn-fc", request.shape, 1, "any size");
  const Convolutions convolutions = convolutions_of(request.options);
  Builder net("cnn-fc", request);
  graph::TensorId x = net.input();
  for (std::size_t i = 0; i < convolutions.channels.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const graph::ConvolutionAttributes geometry{static_cast<int>(convolutions.stride[i]),
                                                static_cast<int>(convolutions.padding[i])};
    x = net.convolution("conv" + number, x, {convolutions.channels[i], convolutions.kernel[i], geometry, relu});
    const auto pool = static_cast<int>(convolutions.pool[i]);
    if (pool > 1) x = net.max_pool("pool" + number, x, {pool, pool});
  }
  x = net.flatten("flatten", x);
  int layer = 0;
  for (const std::int64_t width : value_of<Integers>(request.options, "hidden")) {
    x = net.linear(fmt::format("fc{}", ++layer), x, {width, relu});
  }
  x = net.linear(fmt::format("fc{}", ++layer), x, {request.shape.classes});
  return std::move(net).finish(x);
}

}  // namespace

ModelKind cnn_fc() {
  const auto window = [](const char* name, std::int64_t value, const char* help, double least = 1) {
    return Option{name, Integers{value}, help, least, {}, largest_window};
  };
  return {"cnn-fc",
          "convolutions, then fully connected layers, each with its own attributes",
          {{"channels", Integers{32, 64}, "output channels of each convolution; empty: none", 1, {}, widest_layer},
           window("kernel", 3, "kernel size of the convolutions: one for all, or one for each"),
           window("stride", 1, "stride of the convolutions: one for all, or one for each"),
           window("padding", 0, "padding of the convolutions: one for all, or one for each", 0),
           window("pool", 2, "window of the max pooling after each convolution: one for all, or one for each; 1: none"),
           {"hidden", Integers{128}, "widths of the hidden fully connected layers; empty: none", 1, {}, widest_layer}},
          build_cnn_fc,
          mnist_samples};
}

}  // namespace ddlbench::workloads
