#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "catch.h"
#include "graph/ops/activation.h"
#include "graph/ops/pool.h"
#include "harness.h"
#include "narrow.h"

using namespace ddlbench;

/// An operator that is timed by itself has such an argmax.
TEST_CASE("an argmax in the padding writes nothing outside the gradient") {
  const graph::PoolAttributes geometry{3, 2, 2};
  const auto y = graph::MaxPool2d(geometry).infer(std::vector<graph::TensorType>{{{{1, 1, 3, 3}}}});
  for (const auto& kind : test::kinds()) {
    for (const float place : {0.0f, 8.0f, 255.0f}) {
      CAPTURE(kind.name, place);
      test::HostTensor argmax = test::zeros(y[1]);
      for (float& value : argmax.values) value = place;
      const auto op = std::make_shared<graph::MaxPool2dBackward>(geometry, 3, 3);
      const auto dx = test::run(*test::device(kind.name), {op, {test::zeros(y[0]), argmax}, {}})[0];
      CHECK(dx.values == std::vector<float>(9));
    }
  }
}

/// Which is why a model's derivative takes it of what was pooled.
TEST_CASE("the gradient is the same with ReLU before or after a maximum") {
  const auto mask = std::make_shared<graph::ActivationBackward>(graph::Activation::relu);
  test::HostTensor y = test::random_tensor({2, 16, 9, 9}, "y");
  for (float& value : y.values) value = std::max(value, 0.0f);
  for (const auto& [geometry, dtype, block] : {std::tuple{graph::PoolAttributes{2, 2}, graph::DType::f32, 1},
                                               {graph::PoolAttributes{3, 2}, graph::DType::f32, 16},
                                               {graph::PoolAttributes{3, 2, 1}, graph::DType::f32, 1},
                                               {graph::PoolAttributes{3, 1}, graph::DType::bf16, 1}}) {
    const auto in_form = [dtype = dtype, block = block](const test::HostTensor& tensor) {
      return test::in_type({{tensor.type.shape, tensor.type.dtype, block}, tensor.values}, dtype);
    };
    const auto pool = std::make_shared<graph::MaxPool2d>(geometry);
    const auto spread = std::make_shared<graph::MaxPool2dBackward>(geometry, 9, 9);
    const auto x = in_form(y), dy = in_form(test::random_tensor(pool->infer(std::vector{y.type})[0].shape, "dy"));
    for (const auto& kind : test::kinds()) {
      CAPTURE(kind.name, pool->attributes(), graph::name(dtype), block);
      const auto device = test::device(kind.name);
      const auto pooled = test::run(*device, {pool, {x}, {}});
      const auto before = test::run(*device, {mask, {test::run(*device, {spread, {dy, pooled[1]}, {}})[0], x}, {}})[0];
      const auto after =
          test::run(*device, {spread, {test::run(*device, {mask, {dy, pooled[0]}, {}})[0], pooled[1]}, {}})[0];
      CHECK(before.bytes() == after.bytes());
      CHECK(std::count(before.values.begin(), before.values.end(), 0.0f) < std::ssize(before.values));
    }
  }
}

TEST_CASE("a pool binds only to images that match it") {
  const auto pool = std::make_shared<graph::AveragePool2d>(graph::PoolAttributes{2, 2});
  const auto adaptive = std::make_shared<graph::AdaptiveAveragePool2d>(1, 1);
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    CHECK_THROWS_AS(device->bind({{pool}, {{{1, 1, 4, 4}}}, {{{1, 1, 2, 3}}}}), InputError);
    CHECK_THROWS_AS(device->bind({{pool}, {{{1, 1, 4, 4}}}, {{{1, 1, 2, 2}, graph::DType::i32}}}), InputError);
    CHECK_THROWS_AS(device->bind({{adaptive}, {{{1, 2, 4, 4}}}, {{{1, 1, 1, 1}}}}), InputError);
    CHECK_THROWS_AS(device->bind({{adaptive}, {{{1, 2, 4}}}, {{{1, 2, 1}}}}), InputError);
  }
}
