#include "graph/ops/loss_scale.h"

#include <limits>

#include "catch.h"
#include "graph/error.h"
#include "harness.h"
#include "own/own_device.h"

using namespace ddlbench;
using test::HostTensor;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

HostTensor numbers(std::vector<float> values) {
  HostTensor tensor = test::zeros({{static_cast<std::int64_t>(values.size())}});
  tensor.values = std::move(values);
  return tensor;
}

/// Scale, steady steps, updates and skipped steps after one with this norm.
std::vector<float> after(kernels::Device& device, int growth_interval, float squared_norm, std::vector<float> scaler) {
  const auto op = std::make_shared<graph::LossScaleUpdate>(growth_interval);
  return test::run(device, {op, {numbers({squared_norm}), numbers(std::move(scaler))}, {}}).at(0).values;
}

}  // namespace

TEST_CASE("the loss scale is halved by an overflow, and doubled after steady steps") {
  for (const auto& device : test::devices_on_host()) {
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

TEST_CASE("what is no loss scaler is refused") {
  const auto op = std::make_shared<graph::LossScaleUpdate>(1);
  const graph::TensorType one{{1}}, four{{4}};
  for (const auto& device : test::devices_on_host()) {
    CHECK_NOTHROW(device->bind({op, {one, four}, {four}}));
    CHECK_THROWS_AS(device->bind({op, {four, four}, {four}}), InputError);
    CHECK_THROWS_AS(device->bind({op, {one, one}, {one}}), InputError);
    CHECK_THROWS_AS(device->bind({op, {one, four}, {four}, true}), InputError);
  }
}
