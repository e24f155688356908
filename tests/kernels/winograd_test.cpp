#include "kernels/cpu/winograd.h"

#include <array>
#include <cmath>
#include <limits>

#include "cases.h"
#include "catch.h"
#include "graph/ops/conv2d.h"
#include "harness.h"
#include "kernels/choice/choices.h"
#include "narrow.h"
#include "skip.h"

using namespace ddlbench;
using graph::Activation;
using test::HostTensor;

namespace {

struct WinogradLayer {
  std::int64_t n, c, k, h, w;
  int padding;
};

/// Of whole tiles and of cut ones, windows that begin outside, at the edge and inside; lots that are all tiles, several
/// of them, of one chunk and of more; few and many weights.
constexpr std::array<WinogradLayer, 14> winograd_layers{{{1, 32, 32, 4, 4, 1},
                                                         {2, 32, 64, 7, 7, 1},
                                                         {3, 64, 32, 5, 9, 1},
                                                         {1, 96, 32, 14, 14, 1},
                                                         {2, 32, 96, 6, 3, 0},
                                                         {1, 64, 64, 1, 1, 2},
                                                         {1, 32, 32, 10, 9, 2},
                                                         {72, 352, 32, 1, 1, 1},
                                                         {72, 32, 352, 1, 1, 1},
                                                         {2, 192, 224, 4, 5, 1},
                                                         {1, 512, 32, 6, 6, 1},
                                                         {70, 576, 32, 1, 1, 1},
                                                         {280, 128, 32, 1, 1, 1},
                                                         {280, 32, 128, 1, 1, 1}}};

/// ThreadSanitizer has no race to find, because the kernel's loops have one thread under it, and would take minutes.
bool is_skipped() {
#ifdef __SANITIZE_THREAD__
  test::skip("the loops have one thread under ThreadSanitizer, and take minutes");
  return true;
#else
  return false;
#endif
}

struct Case {
  test::OpCase op;  ///< row-major
  std::vector<bool> inputs_in_blocks;
  bool output_in_blocks;
};

std::vector<Case> winograd_cases(const WinogradLayer& z) {
  const graph::ConvolutionAttributes geometry{1, z.padding};
  const auto x = test::random_tensor({z.n, z.c, z.h, z.w}, "x"), w = test::random_tensor({z.k, z.c, 3, 3}, "w"),
             b = test::random_tensor({z.k}, "b");
  const auto plain = std::make_shared<graph::Conv2d>(geometry, false, Activation::none);
  const auto y = plain->infer(std::vector<graph::TensorType>{x.type, w.type})[0];
  const auto dz = test::random_tensor(y.shape, "dz");
  const auto bias = std::make_shared<graph::Conv2d>(geometry, true, Activation::none);
  const auto relu = std::make_shared<graph::Conv2d>(geometry, false, Activation::relu);
  const auto bias_and_relu = std::make_shared<graph::Conv2d>(geometry, true, Activation::relu);
  const auto backward_input = std::make_shared<graph::Conv2dBackwardInput>(geometry, z.h, z.w);
  const auto weights_alone = std::make_shared<graph::Conv2dBackwardWeight>(geometry, 3, false);
  const auto weights_and_bias = std::make_shared<graph::Conv2dBackwardWeight>(geometry, 3, true);
  const double places = static_cast<double>(z.n * y.shape[2] * y.shape[3]);
  std::vector<Case> cases{
      {{"forward", {plain, {x, w}, {}}, 9.0 * double(z.c)}, {true, false}, true},
      {{"forward, bias", {bias, {x, w, b}, {}}, 9.0 * double(z.c) + 1}, {true, false, false}, true},
      {{"forward, relu", {relu, {x, w}, {}}, 9.0 * double(z.c)}, {true, false}, true},
      {{"forward, bias and relu", {bias_and_relu, {x, w, b}, {}}, 9.0 * double(z.c) + 1}, {true, false, false}, true},
      {{"inputs' gradients", {backward_input, {dz, w}, {}}, 9.0 * double(z.k)}, {true, false}, true},
      {{"weights' gradients", {weights_alone, {x, dz}, {}}, places}, {true, true}, false},
      {{"weights' and bias'", {weights_and_bias, {x, dz}, {}}, places}, {true, true}, false}};
  for (std::size_t i = 0, written = cases.size(); i < written; ++i) {
    cases.push_back({test::added(cases[i].op), cases[i].inputs_in_blocks, cases[i].output_in_blocks});
    cases.back().op.terms += 1;
  }
  return cases;
}

/// Returns row-major results.
std::vector<HostTensor> run_winograd(int threads, const Case& one) {
  const std::int64_t block = kernels::cpu::winograd_channel_block();
  test::Run run = one.op.run;
  run.output_types = test::output_types(run);
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    if (one.inputs_in_blocks[i]) run.inputs[i] = test::in_block(run.inputs[i], block);
  if (one.output_in_blocks) {
    run.output_types[0].channel_block = block;
    for (auto& output : run.initial_outputs) output = test::in_block(output, block);
  }
  auto outputs = test::run_candidate(*test::device("cpu", threads), "winograd in caches", run);
  for (auto& output : outputs) output = test::in_block(output, 1);
  return outputs;
}

}  // namespace

TEST_CASE("Winograd convolution equals the reference, with the same bits on any number of threads") {
  if (is_skipped()) return;
  const auto oracle = test::device("reference");
  for (const WinogradLayer& z : winograd_layers) {
    for (const Case& one : winograd_cases(z)) {
      CAPTURE(one.op.name, z.n, z.c, z.k, z.h, z.w, z.padding);
      const auto expected = test::run(*oracle, one.op.run), actual = run_winograd(1, one);
      test::check_close(actual, expected, test::tolerance(one.op.terms));
      const auto shared_out = run_winograd(3, one);
      for (std::size_t o = 0; o < expected.size(); ++o) CHECK((shared_out[o].values == actual[o].values));
    }
  }
}

TEST_CASE("Winograd convolution of bf16 equals that in f32, rounded once") {
  if (is_skipped()) return;
  const auto oracle = test::device("reference");
  for (const WinogradLayer& z : winograd_layers) {
    for (Case one : winograd_cases(z)) {
      CAPTURE(one.op.name, z.n, z.c, z.k, z.h, z.w, z.padding);
      const auto both = test::narrow_case(one.op, graph::DType::bf16);
      const auto expected = test::run(*oracle, both.wide);
      one.op.run = both.narrow;
      test::check_close(run_winograd(2, one), expected,
                        test::tolerance(one.op.terms) + test::unit_roundoff(graph::DType::bf16));
    }
  }
}

TEST_CASE("Winograd gradients of many weights are summed over more tiles than fit in the workspace") {
  if (is_skipped()) return;
  const WinogradLayer z{2400, 192, 192, 1, 1, 1};
  const auto x = test::random_tensor({z.n, z.c, 1, 1}, "x"), dz = test::random_tensor({z.n, z.k, 1, 1}, "dz");
  const auto op = std::make_shared<graph::Conv2dBackwardWeight>(graph::ConvolutionAttributes{1, 1}, 3, false);
  const Case one{{"", {op, {x, dz}, {graph::TensorType{{z.k, z.c, 3, 3}}}}, double(z.n)}, {true, true}, false};
  const auto expected = test::run(*test::device("reference"), one.op.run);
  test::check_close(run_winograd(2, one), expected, test::tolerance(one.op.terms));
}

TEST_CASE("Winograd convolution computes the same at addresses without vector alignment") {
  if (is_skipped()) return;
  for (Case one : winograd_cases({2, 32, 64, 7, 7, 1})) {
    CAPTURE(one.op.name);
    const auto expected = run_winograd(2, one);
    one.op.run.shift = sizeof(float);
    const auto actual = run_winograd(2, one);
    for (std::size_t o = 0; o < expected.size(); ++o) CHECK((actual[o].values == expected[o].values));
  }
}

TEST_CASE("Winograd convolution propagates NaN and infinity") {
  if (is_skipped()) return;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  for (const Case& each : winograd_cases({1, 32, 32, 9, 9, 1})) {
    if (each.op.run.accumulate) continue;
    for (const float value : {nan, infinite}) {
      for (const std::size_t input : {0, 1}) {
        CAPTURE(each.op.name, value, input);
        Case one = each;
        one.op.run.inputs[input].values[0] = value;  // of the first channel and position, or of the first weight
        const auto result = run_winograd(2, one)[0].values;
        CHECK_FALSE(std::isfinite(result[0]));
        CHECK(std::isfinite(result.back()));
      }
    }
  }
}

TEST_CASE("a device without Winograd has no Winograd candidate") {
  if (is_skipped()) return;
  kernels::DeviceOptions options;
  options.winograd = false;
  const auto device = kernels::make_device("cpu", options);
  for (const Case& one : winograd_cases({2, 32, 64, 7, 7, 1})) {
    CAPTURE(one.op.name);
    device->choices()->take_used();
    test::run(*device, one.op.run);
    auto choices = device->choices()->take_used();
    REQUIRE(choices.size() == 1);
    for (const char* way : {"winograd", "free winograd", "winograd in caches"}) {
      choices.begin()->second = way;
      device->choices()->agree(choices);  // a choice that is not a candidate is ignored
      test::run(*device, one.op.run);
      CHECK(kernels::numerical_properties(device->choices()->take_used().begin()->second).empty());
    }
  }
}

TEST_CASE("convolutions that Winograd does not support are recognised") {
  const std::int64_t block = kernels::cpu::winograd_channel_block();
  kernels::ConvolutionSizes z;
  z.n = 1, z.c = 2 * block, z.k = 4 * block, z.h = z.w = z.p = z.q = 8, z.r = z.s = 3;
  z.padding = 1, z.x_block = z.y_block = block;
  CHECK(kernels::cpu::has_winograd(z));
  const auto refuses = [&](auto change) {
    auto other = z;
    change(other);
    return !kernels::cpu::has_winograd(other);
  };
  CHECK(refuses([](auto& o) { o.stride = 2; }));
  CHECK(refuses([](auto& o) { o.dilation = 2; }));
  CHECK(refuses([](auto& o) { o.groups = 2; }));
  CHECK(refuses([](auto& o) { o.padding = 3; }));
  CHECK(refuses([](auto& o) { o.r = 5; }));
  CHECK(refuses([](auto& o) { o.s = 1; }));
  CHECK(refuses([&](auto& o) { o.c = 3 * block; }));
  CHECK(refuses([&](auto& o) { o.k = block; }));
  CHECK(refuses([](auto& o) { o.x_block = 1; }));
  CHECK(refuses([&](auto& o) { o.y_block = 2 * block; }));
  CHECK(refuses([](auto& o) { o.n = 0; }));
}
