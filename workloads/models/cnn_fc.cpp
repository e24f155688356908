#include "workloads/models/builder.h"
#include "workloads/models/models.h"
#include "workloads/models/number_list.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t widest = 1 << 20;
constexpr std::int64_t largest_window = 1 << 10;
constexpr auto relu = graph::Activation::relu;

/// Numbers of each convolution.
struct Convolutions {
  std::vector<std::int64_t> channels, kernel, stride, padding, pool;
};

Convolutions convolutions_of(const graph::OptionValues& options) {
  const auto text = [&options](const char* name) { return graph::value_of<std::string>(options, name); };
  Convolutions all;
  all.channels = parse_numbers({"cnn-fc: channels", 1, widest}, text("channels"));
  const auto of_each = [&](const char* name, std::int64_t least) {
    return parse_numbers({std::string("cnn-fc: ") + name, least, largest_window}, text(name), all.channels.size());
  };
  all.kernel = of_each("kernel", 1);
  all.stride = of_each("stride", 1);
  all.padding = of_each("padding", 0);
  all.pool = of_each("pool", 1);
  return all;
}

/// (convolution, ReLU, max pooling) …, (linear, ReLU) …, linear.
graph::Graph build(const ModelRequest& request) {
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
  const auto& hidden = graph::value_of<std::string>(request.options, "hidden");
  int layer = 0;
  for (const std::int64_t width : parse_numbers({"cnn-fc: hidden", 1, widest}, hidden)) {
    x = net.linear("fc" + std::to_string(++layer), x, {width, relu});
  }
  x = net.linear("fc" + std::to_string(++layer), x, {request.shape.classes});
  return std::move(net).finish(x);
}

SampleShape natural(const graph::OptionValues&) {
  return {{{1, 28, 28}, graph::DType::f32}, {}, 10};
}

}  // namespace

ModelKind cnn_fc() {
  const auto numbers = [](const char* name, const char* value, const char* help) {
    return graph::Option{name, std::string(value), help};
  };
  return {"cnn-fc",
          "convolutions, then fully connected layers, each with attributes of its own",
          {numbers("channels", "32,64", "outputs of each convolution; empty: none"),
           numbers("kernel", "3", "side of the convolutions' windows: one for all, or one for each"),
           numbers("stride", "1", "of the convolutions, likewise"),
           numbers("padding", "0", "of the convolutions, likewise"),
           numbers("pool", "2", "side of the max pooling behind each convolution, likewise; 1: none"),
           numbers("hidden", "128", "widths of the hidden fully connected layers; empty: none")},
          build,
          natural};
}

}  // namespace ddlbench::workloads
