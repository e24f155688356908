#include <algorithm>
#include <set>

#include "../blocked.h"
#include "../narrow.h"
#include "catch.h"
#include "graph/ops/activation.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/cast.h"
#include "graph/ops/pool.h"
#include "graph/ops/reorder.h"
#include "graph/ops/shape.h"
#include "own_device.h"

using namespace ddlbench;
using test::HostTensor;
using test::random_tensor;

namespace {

using graph::Activation;

/// Images whose numbers of channels are multiples of a vector in f32 and in 16 bits, in f32 only, in neither, and one.
const std::vector<graph::Shape> images{{2, 16, 9, 7}, {3, 4, 6, 6},  {2, 3, 5, 5},
                                       {4, 1, 4, 3},  {2, 64, 1, 1}, {6, 8, 11, 2}};

/// Cases of ops whose own kernels support channels last: on these images, and the image cases of all devices.
std::vector<test::OpCase> channels_last_cases() {
  std::vector<test::OpCase> all;
  const auto add = [&all](const graph::OpPtr& op, std::vector<HostTensor> inputs, double terms, bool accumulates) {
    test::OpCase one{std::string(op->kind()), {op, std::move(inputs), {}}, terms};
    if (accumulates) all.push_back(test::added(one));
    all.push_back(std::move(one));
  };
  for (const graph::Shape& shape : images) {
    const auto x = random_tensor(shape, "x"), y = random_tensor(shape, "y"), dy = random_tensor(shape, "dy");
    const auto b = random_tensor({shape[1]}, "b"), gamma = random_tensor({shape[1]}, "gamma");
    const auto of_channel = static_cast<double>(graph::elements(shape) / shape[1]);
    const auto relu = Activation::relu;
    add(std::make_shared<graph::Add>(), {x, y}, 2, true);
    add(std::make_shared<graph::ActivationBackward>(relu), {dy, y}, 1, true);
    add(std::make_shared<graph::BiasActivation>(relu, graph::Features::second), {x, b}, 2, true);
    add(std::make_shared<graph::BiasBackward>(graph::Features::second), {dy}, of_channel, true);
    add(std::make_shared<graph::Cast>(graph::DType::bf16), {x}, 0, false);
    add(std::make_shared<graph::Slice>(0, 2, 1), {x}, 0, false);
    for (const graph::PoolAttributes geometry : {graph::PoolAttributes{2, 2}, {3, 2, 1}, {3, 1, 1}, {1, 1}}) {
      if (geometry.kernel > shape[2] + 2 * geometry.padding || geometry.kernel > shape[3] + 2 * geometry.padding)
        continue;
      const auto pool = std::make_shared<graph::MaxPool2d>(geometry);
      add(pool, {x}, 0, false);
      const auto made = test::run(*test::device("reference"), {pool, {x}, {}});
      add(std::make_shared<graph::MaxPool2dBackward>(geometry, shape[2], shape[3]),
          {random_tensor(made[0].type.shape, "dy"), made[1]}, geometry.kernel * geometry.kernel, true);
    }
    const auto moments = test::run(*test::device("reference"), {std::make_shared<graph::BatchMoments>(0), {x}, {}})[0];
    const graph::BatchNormAttributes norm{0, 1e-2F};
    const double terms = std::max(of_channel, 128.0);
    add(std::make_shared<graph::BatchMoments>(0), {x}, terms, false);
    add(std::make_shared<graph::BatchNorm>(norm, true, relu), {x, moments, gamma, b, y}, terms, false);
    const auto sums = std::make_shared<graph::BatchNormBackwardMoments>(norm, false, relu);
    add(sums, {dy, x, moments, gamma, b}, terms, false);
    add(std::make_shared<graph::BatchNormBackwardMoments>(norm, true, relu), {dy, x, moments, y}, terms, false);
    const auto of_all = test::run(*test::device("reference"), {sums, {dy, x, moments, gamma, b}, {}})[0];
    add(std::make_shared<graph::BatchNormBackwardInput>(norm, relu), {dy, x, moments, of_all, gamma, b}, terms, true);
  }
  for (test::OpCase& one : test::image_cases())
    if (test::OwnDevice::has(one.run.op->kind())) all.push_back(std::move(one));
  return all;
}

}  // namespace

TEST_CASE("GPU kernels support channels last") {
  std::set<std::string_view> kinds;
  for (const int multiprocessors : {132, 1}) {
    test::OwnDevice device(multiprocessors);
    for (const test::OpCase& one : channels_last_cases()) {
      kinds.insert(one.run.op->kind());
      test::check(device, test::channels_last(one.run, one.terms));
      test::Run shifted = one.run;
      shifted.shift = sizeof(float);
      test::check(device, test::channels_last(shifted, one.terms));
    }
  }
  CHECK(kinds == std::set<std::string_view>{"activation_backward", "add", "batch_moments", "batch_norm",
                                            "batch_norm_backward_input", "batch_norm_backward_moments",
                                            "batch_norm_inference", "bias_activation", "bias_backward", "cast",
                                            "max_pool2d", "max_pool2d_backward", "slice"});
}

TEST_CASE("GPU kernels support channels last in 16 bits") {
  test::OwnDevice device(2);
  for (const graph::DType dtype : {graph::DType::bf16, graph::DType::f16}) {
    for (const test::OpCase& one : channels_last_cases()) {
      if (one.run.op->kind() == "cast") continue;
      test::check(device, test::channels_last(test::narrow_case(one, dtype).narrow, one.terms));
    }
  }
}

TEST_CASE("a GPU kernel reorders row-major images to channels last and back") {
  test::OwnDevice device(2);
  for (const graph::Shape& shape : images) {
    const auto x = random_tensor(shape, "x");
    test::check(device, {{std::make_shared<graph::Reorder>(shape[1]), {x}, {x.type}}, {1}, {shape[1]}, 0});
    test::check(device, {{std::make_shared<graph::Reorder>(1), {x}, {x.type}}, {shape[1]}, {1}, 0});
  }
}

TEST_CASE("GPU kernels reject channel blocks of fewer than all channels") {
  test::OwnDevice device(2);
  const graph::TensorType x{{2, 16, 3, 3}, graph::DType::f32, 8};
  CHECK_THROWS_WITH(device.bind({{std::make_shared<graph::Add>()}, {x, x}, {x}}),
                    Catch::Matchers::Contains("no kernel for channels in such blocks"));
}
