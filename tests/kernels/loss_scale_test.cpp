#include "graph/ops/loss_scale.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "catch.h"
#include "graph/ops/optimizer.h"
#include "harness.h"

using namespace ddlbench;
using test::HostTensor;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

HostTensor scaler_numbers(std::vector<float> values) {
  HostTensor tensor = test::zeros({{static_cast<std::int64_t>(values.size())}});
  tensor.values = std::move(values);
  return tensor;
}

/// Returns scale, steady steps, updates and skipped steps after a step with this norm.
std::vector<float> after(kernels::Device& device, int growth_interval, float squared_norm, std::vector<float> scaler) {
  const auto op = std::make_shared<graph::LossScaleUpdate>(growth_interval);
  return test::run(device, {op, {scaler_numbers({squared_norm}), scaler_numbers(std::move(scaler))}, {}}).at(0).values;
}

}  // namespace

TEST_CASE("an overflow halves the loss scale, and steady steps double it") {
  for (const auto& device : test::every_device()) {
    CAPTURE(device->kind());
    using Scaler = std::vector<float>;
    CHECK(after(*device, 3, 1, {256, 0, 10, 2}) == Scaler{256, 1, 11, 2});
    CHECK(after(*device, 3, 1, {256, 2, 12, 2}) == Scaler{512, 0, 13, 2});
    CHECK(after(*device, 1, 0, {256, 0, 0, 0}) == Scaler{512, 0, 1, 0});
    CHECK(after(*device, 3, infinite, {256, 2, 12, 2}) == Scaler{128, 0, 12, 3});
    CHECK(after(*device, 3, std::numeric_limits<float>::quiet_NaN(), {256, 0, 0, 0}) == Scaler{128, 0, 0, 1});
    CHECK(after(*device, 0, infinite, {256, 0, 12, 2}) == Scaler{256, 0, 12, 3});
    CHECK(after(*device, 0, 1, {256, 0, 12, 2}) == Scaler{256, 0, 13, 2});
    CHECK(after(*device, 1, 1, {0x1p24F, 0, 0x1p24F, 0}) == Scaler{0x1p24F, 0, 0x1p24F, 0});
    CHECK(after(*device, 1, infinite, {0x1p-24F, 0, 0, 0}) == Scaler{0x1p-24F, 0, 0, 1});
  }
}

TEST_CASE("a 16-bit gradient that is not finite halves the scale, and the largest finite gradients do not") {
  for (const auto& device : test::every_device()) {
    for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
      CAPTURE(device->kind(), graph::name(dtype));
      const auto scale_after = [&](float of_all, float of_one) {
        HostTensor gradient = test::zeros({{2011}, dtype});
        std::fill(gradient.values.begin(), gradient.values.end(), of_all);
        gradient.values[1234] = of_one;
        const auto norm = test::run(*device, {std::make_shared<graph::SquaredNorm>(), {gradient}, {}}).at(0);
        return after(*device, 3, norm.values[0], {256, 0, 10, 2})[0];
      };
      CHECK(scale_after(65504, -65504) == 256);
      CHECK(scale_after(1, infinite) == 128);
      CHECK(scale_after(1, -infinite) == 128);
      CHECK(scale_after(1, std::numeric_limits<float>::quiet_NaN()) == 128);
    }
  }
}

TEST_CASE("an invalid loss scaler is rejected") {
  const auto op = std::make_shared<graph::LossScaleUpdate>(1);
  const graph::TensorType one{{1}}, four{{4}};
  for (const auto& device : test::every_device()) {
    CHECK_NOTHROW(device->bind({{op}, {one, four}, {four}}));
    CHECK_THROWS_AS(device->bind({{op}, {four, four}, {four}}), InputError);
    CHECK_THROWS_AS(device->bind({{op}, {one, one}, {one}}), InputError);
    CHECK_THROWS_AS(device->bind({{op, true}, {one, four}, {four}}), InputError);
  }
}
