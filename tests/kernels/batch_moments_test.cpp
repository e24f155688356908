#include <cmath>

#include "catch.h"
#include "graph/ops/batch_norm.h"
#include "graph/random.h"
#include "harness.h"
#include "kernels/functors/batch_statistics.h"
#include "narrow.h"
#include "norm_cases.h"
#include "own/own_device.h"

using namespace ddlbench;
using kernels::ChannelStatistics;
using test::HostTensor;

namespace {

/// Means of the data in units of its standard deviation.
constexpr double distances[] = {0.4, 97, 323, 968, 9673};

/// Returns uniform data with a mean of `distance` standard deviations; its scale is that of pixels.
HostTensor far_from_zero(const graph::Shape& shape, double distance) {
  const double deviation = 0.3081, half_width = std::sqrt(3.0) * deviation;
  return test::random_tensor(shape, "x", static_cast<float>(-distance * deviation - half_width),
                             static_cast<float>(-distance * deviation + half_width));
}

/// Returns the statistics of channel `c` of samples [begin, end) of x[N, C, …], computed in two passes.
ChannelStatistics two_passes(const HostTensor& x, std::int64_t begin, std::int64_t end, std::int64_t c) {
  const std::int64_t channels = x.type.shape[1], inner = graph::elements(x.type.shape) / (x.type.shape[0] * channels);
  const auto each = [&](const auto& body) {
    for (std::int64_t n = begin; n < end; ++n)
      for (std::int64_t i = 0; i < inner; ++i)
        body(double{x.values[static_cast<std::size_t>((n * channels + c) * inner + i)]});
  };
  const auto count = static_cast<double>((end - begin) * inner);
  double mean = 0, m2 = 0;
  each([&](double value) { mean += value / count; });
  each([&](double value) { m2 += (value - mean) * (value - mean); });
  return {count, mean, m2};
}

/// Checks that the mean agrees to the precision of two f32 and M2 to that of one.
void check_equal(const ChannelStatistics& found, const ChannelStatistics& expected) {
  CAPTURE(found.mean, expected.mean, found.m2, expected.m2);
  CHECK(found.count == expected.count);
  CHECK(std::abs(found.mean - expected.mean) <= 1e-13 * std::abs(expected.mean) + 1e-16);
  CHECK(std::abs(found.m2 - expected.m2) <= 1e-6 * expected.m2 + 1e-24 * expected.count * std::pow(expected.mean, 2));
}

HostTensor moments_of(kernels::Device& device, const HostTensor& x, std::int64_t samples) {
  return test::run(device, {std::make_shared<graph::BatchMoments>(samples), {x}, {}})[0];
}

void check_moments(kernels::Device& device, const HostTensor& x, std::int64_t samples, const HostTensor& values) {
  const std::int64_t batch = x.type.shape[0], channels = x.type.shape[1], group = samples == 0 ? batch : samples;
  const HostTensor moments = moments_of(device, x, samples);
  for (std::int64_t g = 0; g < batch / group; ++g)
    for (std::int64_t c = 0; c < channels; ++c)
      check_equal(kernels::statistics_of(moments.values.data(), channels, g, c),
                  two_passes(values, g * group, (g + 1) * group, c));
}

}  // namespace

TEST_CASE("moments of data far from zero equal those of two passes in f64", "[N1]") {
  struct Batch {
    graph::Shape x;
    std::int64_t samples;
  };
  for (const auto& [shape, samples] :
       {Batch{{64, 6}, 0}, Batch{{40, 130}, 20}, Batch{{4, 3, 28, 28}, 0}, Batch{{6, 32, 7, 7}, 2}, Batch{{2, 1}, 1}}) {
    for (const double distance : distances) {
      for (const auto& device : test::every_device()) {
        CAPTURE(device->kind(), graph::to_string(shape), samples, distance);
        const HostTensor x = far_from_zero(shape, distance);
        check_moments(*device, x, samples, x);
        if (device->kind() == "reference") continue;
        for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
          const HostTensor narrow = test::in_type(x, dtype);
          check_moments(*device, narrow, samples, narrow);
        }
      }
      if (shape.size() < 4 || shape[1] % 16 != 0) continue;
      const HostTensor x = far_from_zero(shape, distance);
      check_moments(*test::device("cpu", 2), test::in_block(x, 16), samples, x);
    }
  }
}

TEST_CASE("the check of moments detects sums of x and x² in f32", "[N1]") {
  const HostTensor x = far_from_zero({64, 1, 8, 8}, 97);
  double sum = 0, squares = 0;
  for (const float value : x.values) sum += value, squares += double{value} * value;
  const double n = static_cast<double>(x.values.size()), mean = static_cast<float>(sum) / n;
  const double m2 = static_cast<float>(squares) - mean * mean * n;
  const double expected = two_passes(x, 0, 64, 0).m2;
  CHECK(std::abs(m2 - expected) > 1e-4 * expected);
}

TEST_CASE("a channel of equal values has zero variance, however far from zero", "[N1]") {
  for (const auto& device : test::every_device()) {
    HostTensor x = test::zeros({{6, 2, 5, 5}, graph::DType::f32});
    for (float& value : x.values) value = -973.7345F;
    const HostTensor moments = moments_of(*device, x, 0);
    for (const std::int64_t c : {0, 1}) {
      const auto s = kernels::statistics_of(moments.values.data(), 2, 0, c);
      CAPTURE(device->kind(), s.m2);
      CHECK(s.mean == Approx(-973.7345F).epsilon(1e-14));
      CHECK(s.m2 <= 1e-20);
    }
  }
}

TEST_CASE("moments of parts of any size, including empty ones, combine to those of the whole", "[N1]") {
  const graph::Shape shape{24, 5, 3, 2};
  const auto key = graph::random_key(3, graph::Purpose::synthetic_data, "parts");
  for (const auto& device : test::every_device()) {
    for (std::uint64_t drawn = 0; drawn < 20; ++drawn) {
      const double distance = distances[drawn % std::size(distances)];
      const HostTensor x = far_from_zero(shape, distance);
      std::vector<HostTensor> moments;
      std::vector<std::int64_t> sizes;
      for (std::int64_t begin = 0; begin < shape[0];) {
        const auto size = std::min<std::int64_t>(graph::philox(key, drawn, sizes.size()).v[0] % 9, shape[0] - begin);
        moments.push_back(moments_of(*device, test::part_of(x, 0, begin, begin + size), 0));
        sizes.push_back(size);
        begin += size;
      }
      CAPTURE(device->kind(), distance, sizes);
      const HostTensor whole =
          test::run(*device, {std::make_shared<graph::CombineMoments>(), {test::joined(moments, 0)}, {}})[0];
      REQUIRE(whole.type.shape == graph::Shape{1, graph::moment_rows, shape[1]});
      for (std::int64_t c = 0; c < shape[1]; ++c)
        check_equal(kernels::statistics_of(whole.values.data(), shape[1], 0, c), two_passes(x, 0, shape[0], c));
    }
    // The combination of no values must not divide by zero.
    const HostTensor none = test::zeros({{3, graph::moment_rows, 2}, graph::DType::f32});
    CHECK(test::run(*device, {std::make_shared<graph::CombineMoments>(), {none}, {}})[0].values ==
          std::vector<float>(8, 0));
  }
}
