#include <cmath>
#include <limits>
#include <vector>

#include "../own/host_launcher.h"
#include "catch.h"
#include "kernels/own/finish.h"

using namespace ddlbench;
using graph::Activation;
using kernels::own::Finish;

namespace {

std::vector<float> numbers(std::int64_t count, float first) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(first + static_cast<float>(i * 7 % 11) - 5);
  return all;
}

void finish(const Finish& what, const float* sums, const float* bias, float* y) {
  std::vector<test::HostLauncher::Launch> launches;
  launch_finish(test::HostLauncher(2, launches), what, sums, bias, y);
}

}  // namespace

TEST_CASE("a library's sums are completed with the op's bias, activation and accumulation") {
  for (const kernels::AroundDimension around :
       {kernels::AroundDimension{2, 3, 5}, {1, 1, 1}, {3, 7, 1}, {1, 5, 8}, {2, 2, 300}, {0, 3, 4}}) {
    for (const auto activation : {Activation::none, Activation::relu}) {
      for (const bool accumulate : {false, true}) {
        for (const bool with_sums : {false, true}) {
          for (const bool with_bias : {false, true}) {
            CAPTURE(around.outer, around.size, around.inner, accumulate, with_sums, with_bias);
            const auto sums = numbers(around.elements(), 0.25f), bias = numbers(around.size, 0.5f);
            auto y = accumulate ? numbers(around.elements(), 0.125f) : std::vector<float>(sums.size(), NAN);
            auto expected = y;
            for (std::size_t i = 0; i < expected.size(); ++i) {
              const auto place = static_cast<std::int64_t>(i) / around.inner % around.size;
              float z = with_sums ? sums[i] : 0.0f;
              if (with_bias) z += bias[static_cast<std::size_t>(place)];
              if (activation == Activation::relu && z < 0) z = 0;
              expected[i] = accumulate ? expected[i] + z : z;
            }
            finish({around, graph::DType::f32, activation, accumulate}, with_sums ? sums.data() : nullptr,
                   with_bias ? bias.data() : nullptr, y.data());
            CHECK(y == expected);
          }
        }
      }
    }
  }
}

TEST_CASE("sums are completed in place, and relu propagates NaN") {
  std::vector<float> y{-1, 2, std::numeric_limits<float>::quiet_NaN()};
  finish({{3, 1, 1}, graph::DType::f32, Activation::relu, false}, y.data(), nullptr, y.data());
  CHECK(y[0] == 0);
  CHECK(y[1] == 2);
  CHECK(std::isnan(y[2]));
}
