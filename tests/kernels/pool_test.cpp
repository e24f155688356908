#include "graph/error.h"
#include "graph/ops/pool.h"
#include "catch.h"
#include "harness.h"

using namespace ddlbench;

/// An operator that is timed by itself has such an argmax.
TEST_CASE("an argmax in the padding reaches nothing outside of the gradient") {
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

TEST_CASE("a pool binds to nothing but images that fit it") {
  const auto pool = std::make_shared<graph::AveragePool2d>(graph::PoolAttributes{2, 2});
  const auto adaptive = std::make_shared<graph::AdaptiveAveragePool2d>(1, 1);
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    CHECK_THROWS_AS(device->bind({pool, {{{1, 1, 4, 4}}}, {{{1, 1, 2, 3}}}}), InputError);
    CHECK_THROWS_AS(device->bind({pool, {{{1, 1, 4, 4}}}, {{{1, 1, 2, 2}, graph::DType::i32}}}), InputError);
    CHECK_THROWS_AS(device->bind({adaptive, {{{1, 2, 4, 4}}}, {{{1, 1, 1, 1}}}}), InputError);
    CHECK_THROWS_AS(device->bind({adaptive, {{{1, 2, 4}}}, {{{1, 2, 1}}}}), InputError);
  }
}
