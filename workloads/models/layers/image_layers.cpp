#include "base/error.h"
#include "workloads/models/layers/layer_kind.h"

namespace ddlbench::workloads {
namespace {

using graph::TensorId;
using Inputs = std::vector<TensorId>;

constexpr double widest_window = 1 << 16;

std::int64_t integer(const OptionValues& options, const std::string& name) {
  return value_of<std::int64_t>(options, name);
}

int small(const OptionValues& options, const std::string& name) {
  return static_cast<int>(integer(options, name));
}

Option window_option(const char* name, std::int64_t value, const char* help, double least = 1) {
  return {name, value, help, least, {}, widest_window};
}

TensorId add_convolution(Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
  const graph::ConvolutionAttributes geometry{small(options, "stride"), small(options, "padding"),
                                              small(options, "dilation"), small(options, "groups")};
  return net.convolution(name, inputs[0],
                         {integer(options, "channels"), integer(options, "kernel"), geometry, activation_of(options),
                          value_of<bool>(options, "bias"), weight_init_of(options)});
}

LayerKind convolution() {
  LayerKind kind{"conv2d",
                 "a convolution",
                 {size_option("channels", "channels of the output"),
                  window_option("kernel", 0, "side of the window"),
                  window_option("stride", 1, "stride of the window"),
                  window_option("padding", 0, "zeros on every side", 0),
                  window_option("dilation", 1, "distance between the window's elements"),
                  window_option("groups", 1, "number of groups of channels that are convolved separately"),
                  {"bias", true, "add a learned number per channel"},
                  activation_option()},
                 1,
                 1,
                 add_convolution};
  for (Option& option : weight_init_options()) kind.options.push_back(std::move(option));
  return kind;
}

TensorId add_batch_norm(Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
  if (net.type_of(inputs[0]).shape.size() < 2)
    throw InputError("a batch norm needs channels after the batch dimension");
  return net.batch_norm(name, inputs[0], inputs.size() > 1 ? inputs[1] : graph::absent,
                        {activation_of(options), integer(options, "samples_per_statistic"),
                         static_cast<float>(value_of<double>(options, "epsilon")),
                         static_cast<float>(value_of<double>(options, "momentum"))});
}

LayerKind batch_norm() {
  return {"batch_norm",
          "normalises each channel over the batch; adds a second input, if any, before the activation",
          {{"samples_per_statistic", std::int64_t{0}, "samples per statistic; 0: the whole batch", 0, {}, 1 << 24},
           {"epsilon", 1e-5, "added to the variance", 0},
           {"momentum", 0.1, "weight of a new observation in the running statistics", 0, {}, 1},
           activation_option()},
          1,
          2,
          add_batch_norm};
}

graph::PoolAttributes window_of(const OptionValues& options) {
  const int kernel = small(options, "kernel");
  const int stride = small(options, "stride");
  return {kernel, stride == 0 ? kernel : stride, small(options, "padding")};
}

std::vector<Option> pool_options() {
  return {window_option("kernel", 0, "side of the window"),
          window_option("stride", 0, "stride of the window; 0: its side", 0),
          window_option("padding", 0, "padding on every side", 0)};
}

LayerKind max_pool() {
  return {"max_pool2d",
          "the largest of each window",
          pool_options(),
          1,
          1,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
            return net.max_pool(name, inputs[0], window_of(options));
          }};
}

LayerKind average_pool() {
  return {"average_pool2d",
          "the mean of each window, including padding",
          pool_options(),
          1,
          1,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
            return net.add(name, std::make_shared<graph::AveragePool2d>(window_of(options)), {inputs[0]});
          }};
}

LayerKind adaptive_average_pool() {
  return {"adaptive_average_pool2d",
          "means over windows, for a given output size",
          {window_option("height", 0, "height of the output"), window_option("width", 0, "width of the output")},
          1,
          1,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
            return net.add(
                name,
                std::make_shared<graph::AdaptiveAveragePool2d>(integer(options, "height"), integer(options, "width")),
                {inputs[0]});
          }};
}

}  // namespace

std::vector<LayerKind> image_layers() {
  return {convolution(), batch_norm(), max_pool(), average_pool(), adaptive_average_pool()};
}

}  // namespace ddlbench::workloads
