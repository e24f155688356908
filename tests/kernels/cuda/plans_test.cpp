#include <algorithm>
#include <set>
#include <tuple>

#include "catch.h"
#include "kernels/cuda/dnn/attention.h"
#include "kernels/cuda/dnn/convolution.h"
#include "planner.h"

using namespace ddlbench;
using kernels::ConvolutionSizes;
using kernels::cuda::dnn::Convolution;
using kernels::cuda::dnn::Direction;

namespace {

constexpr std::int64_t batch = 8;

struct Layer {
  std::int64_t channels, size, filters, window;
  int stride, padding;
  int dilation = 1, groups = 1;
  auto key() const { return std::tie(channels, size, filters, window, stride, padding, dilation, groups); }
  bool operator<(const Layer& other) const { return key() < other.key(); }
};

/// Returns the distinct convolutions of VGG-16.
std::set<Layer> vgg16() {
  std::set<Layer> layers;
  std::int64_t channels = 3, size = 224;
  for (const auto& [filters, count] : {std::pair{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
    for (int i = 0; i < count; ++i, channels = filters) layers.insert({channels, size, filters, 3, 1, 1});
    size /= 2;
  }
  return layers;
}

/// Returns the distinct convolutions of ResNet-50, with the stride in the 3 × 3 convolution of a block.
std::set<Layer> resnet50() {
  std::set<Layer> layers{{3, 224, 64, 7, 2, 3}};
  std::int64_t channels = 64, size = 56, width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      const int stride = block == 0 && width > 64 ? 2 : 1;
      layers.insert({channels, size, width, 1, 1, 0});
      layers.insert({width, size, width, 3, stride, 1});
      if (block == 0) layers.insert({channels, size, 4 * width, 1, stride, 0});
      size /= stride;
      layers.insert({width, size, 4 * width, 1, 1, 0});
      channels = 4 * width;
    }
    width *= 2;
  }
  return layers;
}

/// Convolutions of ResNeXt-50 (32 groups), MobileNet (one channel per group) and DeepLab (dilation).
const std::set<Layer> grouped_and_dilated{{128, 56, 128, 3, 1, 1, 1, 32},  {256, 56, 256, 3, 2, 1, 1, 32},
                                          {1024, 7, 1024, 3, 1, 1, 1, 32}, {32, 112, 32, 3, 1, 1, 1, 32},
                                          {64, 112, 64, 3, 2, 1, 1, 64},   {512, 14, 512, 3, 1, 2, 2, 1},
                                          {512, 28, 256, 3, 1, 12, 12},    {6, 9, 9, 3, 1, 2, 2, 3}};

const std::set<Layer> lenet{{1, 28, 6, 5, 1, 0}, {6, 12, 16, 5, 1, 0}};

ConvolutionSizes sizes_of(const Layer& layer) {
  ConvolutionSizes z;
  z.n = batch, z.c = layer.channels, z.h = z.w = layer.size;
  z.k = layer.filters, z.r = z.s = layer.window;
  z.stride = layer.stride, z.padding = layer.padding;
  z.dilation = layer.dilation, z.groups = layer.groups;
  const std::int64_t reach = layer.dilation * (layer.window - 1) + 1;
  z.p = z.q = (layer.size + 2 * layer.padding - reach) / layer.stride + 1;
  return z;
}

/// Returns the sizes with the layouts that models for tensor cores use: row-major images, channels last for all else.
ConvolutionSizes with_channels_last(ConvolutionSizes z) {
  if (z.c > 3) z.x_block = z.c;
  if (z.r * z.s > 1) z.w_block = z.group_channels();
  z.y_block = z.k;
  return z;
}

constexpr Direction directions[] = {Direction::forward, Direction::backward_input, Direction::backward_weight};

void plan_all(const std::set<Layer>& layers, const std::string& architecture) {
  const auto dnn = test::planner(architecture);
  for (const Layer& layer : layers) {
    for (const auto direction : {Direction::forward, Direction::backward_input, Direction::backward_weight}) {
      for (const bool tf32 : {false, true}) {
        CAPTURE(architecture, layer.channels, layer.size, layer.filters, layer.window, layer.stride);
        CAPTURE(layer.dilation, layer.groups, static_cast<int>(direction), tf32);
        const Convolution convolution{direction, sizes_of(layer), graph::DType::f32, true, true};
        CHECK(test::try_to_plan(*dnn, graph_of(convolution), tf32) == "");
      }
    }
  }
}

/// Returns whether one of the first configurations, which autotuning would try, runs on tensor cores with less
/// workspace than the smallest operand: an engine that converts an operand keeps the result in its workspace. Filters
/// count as operands unless they are 1 × 1, or their gradient is computed, whose partial sums may be in the workspace.
bool some_converts_nothing(const kernels::cuda::Dnn& dnn, const Convolution& convolution) {
  using namespace kernels::cuda::dnn;
  constexpr std::size_t tried = 8;
  const ConvolutionSizes& z = convolution.sizes;
  const auto element = static_cast<std::int64_t>(graph::size_of(convolution.dtype));
  std::int64_t smallest = std::min(z.n * z.c * z.h * z.w, z.n * z.k * z.p * z.q);
  if (z.r > 1 && convolution.direction != Direction::backward_weight)
    smallest = std::min(smallest, z.k * z.group_channels() * z.r * z.s);
  const Configurations all(dnn, graph_of(convolution), {});
  for (std::size_t i = 0; i < std::min(tried, all.size()); ++i) {
    if (!Notes(all[i]).has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE)) continue;
    if (static_cast<std::int64_t>(Plan(dnn, all[i]).workspace_bytes()) < smallest * element) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("cuDNN plans every convolution of lenet") {
  CHECK(lenet.size() == 2);
  for (const char* architecture : {"sm80", "sm90"}) plan_all(lenet, architecture);
}

TEST_CASE("cuDNN plans every convolution of VGG-16") {
  CHECK(vgg16().size() == 9);
  for (const char* architecture : {"sm80", "sm90"}) plan_all(vgg16(), architecture);
}

TEST_CASE("cuDNN plans every convolution of ResNet-50") {
  CHECK(resnet50().size() == 23);
  for (const char* architecture : {"sm80", "sm90"}) plan_all(resnet50(), architecture);
}

TEST_CASE("cuDNN plans convolutions in groups and with dilation") {
  for (const char* architecture : {"sm80", "sm90"}) plan_all(grouped_and_dilated, architecture);
}

TEST_CASE("cuDNN plans channels-last convolutions") {
  const auto dnn = test::planner("sm90");
  for (const std::set<Layer>& layers : {lenet, grouped_and_dilated}) {
    for (const Layer& layer : layers) {
      for (const Direction direction : directions) {
        for (const graph::DType dtype : {graph::DType::f32, graph::DType::bf16, graph::DType::f16}) {
          CAPTURE(layer.channels, layer.size, layer.filters, layer.window, static_cast<int>(direction), name(dtype));
          const Convolution convolution{direction, with_channels_last(sizes_of(layer)), dtype, true, true};
          const std::string why = test::try_to_plan(*dnn, graph_of(convolution), true);
          CAPTURE(why);
          CHECK((why.empty() || test::compiled_but_not_loaded(why)));
        }
      }
    }
  }
}

TEST_CASE("channels-last VGG-16 and ResNet-50 run on tensor cores, and only images are converted") {
  const auto dnn = test::planner("sm90");
  std::set<Layer> layers = vgg16();
  layers.merge(resnet50());
  for (const std::int64_t samples : {32, 128, 256}) {
    for (const Layer& layer : layers) {
      if (layer.channels == 3) continue;
      for (const Direction direction : directions) {
        for (const graph::DType dtype : {graph::DType::bf16, graph::DType::f32}) {
          CAPTURE(samples, layer.channels, layer.size, layer.filters, layer.window, layer.stride);
          CAPTURE(static_cast<int>(direction), graph::name(dtype));
          Convolution convolution{direction, with_channels_last(sizes_of(layer)), dtype};
          convolution.sizes.n = samples;
          CHECK(some_converts_nothing(*dnn, convolution));
        }
      }
    }
  }
}

TEST_CASE("without TF32 no convolution of f32 runs on tensor cores") {
  using namespace kernels::cuda::dnn;
  const auto dnn = test::planner("sm90");
  const Graph graph = graph_of(Convolution{Direction::forward, sizes_of({64, 56, 64, 3, 1, 1})});
  const Configurations with(*dnn, graph, {}), without(*dnn, graph, {.tensor_cores = false});
  CHECK(without.size() > 0);
  CHECK(with.size() > without.size());
}

TEST_CASE("more engines with tensor cores support operands that are aligned to 16 bytes") {
  using namespace kernels::cuda::dnn;
  const auto dnn = test::planner("sm90");
  const auto on_tensor_cores = [&](const Layer& layer, Direction direction, std::int64_t alignment_of_weights) {
    Convolution convolution{direction, sizes_of(layer), graph::DType::bf16};
    convolution.alignments.w = alignment_of_weights;
    const Configurations all(*dnn, graph_of(convolution), {});
    int count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) count += Notes(all[i]).has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ? 1 : 0;
    return count;
  };
  for (const auto direction : {Direction::forward, Direction::backward_input, Direction::backward_weight}) {
    CAPTURE(static_cast<int>(direction));
    const Layer wide{64, 56, 256, 1, 1, 0};
    CHECK(on_tensor_cores(wide, direction, kernels::full_alignment) > 10);
    CHECK(on_tensor_cores(wide, direction, 2) == 0);
  }
}

TEST_CASE("alignment beyond full_alignment changes nothing") {
  using namespace kernels::cuda::dnn;
  for (const char* architecture : {"sm80", "sm90"}) {
    const auto dnn = test::planner(architecture);
    const auto names_at = [&](std::int64_t alignment) {
      Convolution convolution{Direction::forward, sizes_of({64, 56, 64, 3, 1, 1}), graph::DType::bf16};
      convolution.alignments = {alignment, alignment, alignment, alignment};
      const Configurations all(*dnn, graph_of(convolution), {});
      std::vector<std::string> names;
      for (std::size_t i = 0; i < all.size(); ++i) names.push_back(name_of(all[i]));
      return names;
    };
    CAPTURE(architecture);
    CHECK(names_at(256) == names_at(kernels::full_alignment));
    CHECK(names_at(2) != names_at(kernels::full_alignment));
  }
}

TEST_CASE("Winograd, FFT and nondeterministic engines can be excluded") {
  using namespace kernels::cuda::dnn;
  const auto dnn = test::planner("sm80");  // cuDNN 9.19 has no Winograd engine for sm90, and no FFT engine for either
  const auto names_of = [&](Direction direction, const Engines& engines) {
    const Configurations all(*dnn, graph_of(Convolution{direction, sizes_of({64, 56, 64, 3, 1, 1})}), engines);
    std::string names;
    for (std::size_t i = 0; i < all.size(); ++i) names += name_of(all[i]) + "\n";
    return names;
  };
  const auto has = [](const std::string& names, const char* word) { return names.find(word) != std::string::npos; };
  std::string all, without_winograd, deterministic;
  for (const auto direction : {Direction::forward, Direction::backward_input, Direction::backward_weight}) {
    all += names_of(direction, {.deterministic = false});
    without_winograd += names_of(direction, {.deterministic = false, .winograd = false});
    deterministic += names_of(direction, {});
  }
  CHECK(has(all, ", winograd"));
  CHECK(has(all, ", nondeterministic"));
  CHECK(has(without_winograd, ", nondeterministic"));
  CHECK_FALSE(has(without_winograd, "winograd"));
  CHECK(has(deterministic, ", winograd"));
  CHECK_FALSE(has(deterministic, "nondeterministic"));
}

TEST_CASE("names of configurations are stable and distinguish them") {
  using namespace kernels::cuda::dnn;
  const auto dnn = test::planner("sm90");
  const Graph graph = graph_of(Convolution{Direction::forward, sizes_of({64, 56, 64, 3, 1, 1})});
  const Configurations first(*dnn, graph, {}), again(*dnn, graph, {});
  REQUIRE(first.size() == again.size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(name_of(first[i]).find("engine ") == 0);
    CHECK(name_of(first[i]) == name_of(again[i]));
    names.insert(name_of(first[i]));
  }
  CHECK(names.size() > first.size() / 2);  // the fallbacks may repeat a configuration
}

/// Planning compiles fused attention and then loads it; without such a GPU, loading fails.
TEST_CASE("cuDNN compiles attention of GPT-2 in bf16") {
  const kernels::AttentionSizes z{batch, 1024, 12, 64};
  for (const char* architecture : {"sm80", "sm90"}) {
    const auto dnn = test::planner(architecture);
    using namespace kernels::cuda::dnn;
    CAPTURE(architecture);
    for (const bool backward : {false, true}) {
      const auto graph =
          backward ? graph_of_attention_backward(z, graph::DType::bf16) : graph_of_attention(z, graph::DType::bf16);
      const std::string why = test::try_to_plan(*dnn, graph, true);
      CAPTURE(backward, why);
      CHECK((why.empty() || test::compiled_but_not_loaded(why)));
    }
  }
}

TEST_CASE("cuDNN has no gradient of attention in f32, so our own kernels compute it") {
  using namespace kernels::cuda::dnn;
  const auto dnn = test::planner("sm90");
  CHECK(Configurations(*dnn, graph_of_attention_backward({batch, 1024, 12, 64}, graph::DType::f32), {}).size() == 0);
}
