#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "workloads/models/builder.h"
#include "workloads/models/models.h"
#include "workloads/models/parameter_order.h"

namespace ddlbench::workloads {
namespace {

using graph::Activation;
using graph::TensorId;

constexpr WeightInit start{WeightInit::Rule::fan_out};

/// Builds torchvision's residual networks (He et al. 2016). The last normalisation of a block also adds the residual.
class Resnet {
 public:
  Resnet(Builder& net, bool bottleneck, std::int64_t samples) : net_(net), bottleneck_(bottleneck), samples_(samples) {}

  TensorId stem(TensorId x, bool small_images) {
    x = small_images ? convolution("conv1", x, 64, 3, 1) : convolution("conv1", x, 64, 7, 2);
    x = normalise("bn1", x, graph::absent, Activation::relu);
    return small_images ? x : net_.max_pool("maxpool", x, {3, 2, 1});
  }

  TensorId block(const std::string& name, TensorId x, std::int64_t width, int stride) {
    const std::int64_t outputs = bottleneck_ ? 4 * width : width;
    TensorId y = x;
    if (bottleneck_) {  // the stride is in the 3x3 convolution, not in the first one: "v1.5"
      y = convolution(name + ".conv1", y, width, 1, 1);
      y = normalise(name + ".bn1", y, graph::absent, Activation::relu);
      y = convolution(name + ".conv2", y, width, 3, stride);
      y = normalise(name + ".bn2", y, graph::absent, Activation::relu);
      y = convolution(name + ".conv3", y, outputs, 1, 1);
    } else {
      y = convolution(name + ".conv1", y, width, 3, stride);
      y = normalise(name + ".bn1", y, graph::absent, Activation::relu);
      y = convolution(name + ".conv2", y, outputs, 3, 1);
    }
    if (stride != 1 || net_.type_of(x).shape[1] != outputs) {
      x = convolution(name + ".downsample.0", x, outputs, 1, stride);
      x = normalise(name + ".downsample.1", x, graph::absent, Activation::none);
    }
    return normalise(name + (bottleneck_ ? ".bn3" : ".bn2"), y, x, Activation::relu);
  }

 private:
  TensorId convolution(const std::string& name, TensorId x, std::int64_t channels, int kernel, int stride) {
    return net_.convolution(name, x, {channels, kernel, {stride, kernel / 2}, Activation::none, false, start});
  }
  TensorId normalise(const std::string& name, TensorId x, TensorId residual, Activation activation) {
    return net_.batch_norm(name, x, residual, {activation, samples_});
  }

  Builder& net_;
  bool bottleneck_;
  std::int64_t samples_;
};

/// torchvision registers a block's downsampling after its other layers, although it is computed before the last norm.
bool is_downsampling(const std::string& parameter) {
  return parameter.find(".downsample.") != std::string::npos;
}

graph::Graph build_resnet(const std::string& name, const ModelRequest& request, const std::array<int, 4>& blocks,
                          bool bottleneck) {
  require_image(name, request.shape, 1, "any size");
  Builder net(name, request);
  Resnet resnet(net, bottleneck, value_of<std::int64_t>(request.options, "samples_per_statistic"));
  TensorId x = resnet.stem(net.input(), value_of<bool>(request.options, "small_images"));
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    for (int i = 0; i < blocks[stage]; ++i) {
      const std::string block = fmt::format("layer{}.{}", stage + 1, i);
      x = resnet.block(block, x, std::int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  x = net.adaptive_average_pool("avgpool", x, 1);
  x = net.flatten("flatten", x);
  x = net.linear("fc", x, {request.shape.classes});
  graph::Graph graph = std::move(net).finish(x);
  move_behind_siblings(graph, is_downsampling);
  return graph;
}

ModelKind kind(std::string name, std::string parameters, graph::Graph (*build)(const ModelRequest&)) {
  std::string help = "a residual network in torchvision's form (He et al. 2016): " + std::move(parameters) +
                     " parameters with 1000 classes";
  return {std::move(name),
          std::move(help),
          {{"samples_per_statistic",
            std::int64_t{0},
            "samples per statistic of batch norm; 0: the whole batch",
            0,
            {},
            1 << 24},
           {"small_images",
            false,
            "for images such as CIFAR's: the first convolution is 3x3 with stride 1, and there is no first pool",
            0,
            {}}},
          build,
          imagenet_samples};
}

}  // namespace

ModelKind resnet18() {
  return kind("resnet18", "11,689,512", [](const ModelRequest& request) {
    return build_resnet("resnet18", request, {2, 2, 2, 2}, false);
  });
}

ModelKind resnet34() {
  return kind("resnet34", "21,797,672", [](const ModelRequest& request) {
    return build_resnet("resnet34", request, {3, 4, 6, 3}, false);
  });
}

ModelKind resnet50() {
  return kind("resnet50", "25,557,032", [](const ModelRequest& request) {
    return build_resnet("resnet50", request, {3, 4, 6, 3}, true);
  });
}

ModelKind resnet101() {
  return kind("resnet101", "44,549,160", [](const ModelRequest& request) {
    return build_resnet("resnet101", request, {3, 4, 23, 3}, true);
  });
}

ModelKind resnet152() {
  return kind("resnet152", "60,192,808", [](const ModelRequest& request) {
    return build_resnet("resnet152", request, {3, 8, 36, 3}, true);
  });
}

}  // namespace ddlbench::workloads
