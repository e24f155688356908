#include "graph/ops/normalise.h"

#include "../cases.h"
#include "catch.h"
#include "own_device.h"

using namespace ddlbench;

namespace {

/// Normalises bytes that begin `shift` bytes after an aligned address, as those of a later micro-batch do, into aligned
/// memory. Checks the result and returns it.
std::vector<float> launched(test::OwnDevice& device, const graph::Normalise& op, const graph::Shape& shape,
                            std::size_t shift) {
  const auto size = static_cast<std::size_t>(graph::elements(shape));
  alignas(64) std::uint8_t bytes[512];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  alignas(64) float values[512] = {};
  REQUIRE((shift + size <= sizeof bytes));
  const auto kernel = device.bind(
      {{std::make_shared<graph::Normalise>(op)}, {{shape, graph::DType::u8}}, {{shape, graph::DType::f32}}});
  const void* inputs[] = {bytes + shift};
  void* outputs[] = {values};
  kernel->launch({inputs, outputs, nullptr, nullptr});
  const graph::Shape sample(shape.begin() + 1, shape.end());
  CHECK(std::vector<float>(values, values + size) ==
        graph::normalised(op.normalisation, sample, bytes + shift, shape[0]));
  for (std::size_t i = size; i < 512; ++i) CHECK(values[i] == 0);
  return {values, values + size};
}

/// Returns the number of threads of the last launch.
std::int64_t items_of_launch(const test::OwnDevice& device) {
  return device.launches.back().geometry.all_threads();
}

}  // namespace

TEST_CASE("bytes at any alignment are normalised, with vectors where possible") {
  test::OwnDevice device(132);
  const graph::Normalise of_channels({{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}}, graph::DType::f32);
  const graph::Normalise of_all({{0.286}, {0.353}}, graph::DType::f32);
  for (std::size_t shift = 0; shift < 9; ++shift) {
    launched(device, of_channels, {2, 3, 8, 8}, shift);
    launched(device, of_channels, {3, 3, 7, 7}, shift);
    launched(device, of_all, {5, 67}, shift);
  }
  launched(device, of_channels, {2, 3, 8, 8}, 4);
  CHECK(items_of_launch(device) == 256);  // 96 vectors of four
  launched(device, of_channels, {2, 3, 8, 8}, 3);
  CHECK(items_of_launch(device) == 512);  // 384 values
  launched(device, of_channels, {2, 3, 7, 9}, 0);
  CHECK(items_of_launch(device) == 512);  // 378 values: a plane is not a whole number of vectors
  launched(device, of_all, {2, 3, 7, 9}, 0);
  CHECK(items_of_launch(device) == 256);  // 94 vectors and 2 values: with one channel, vectors may cross planes
}
