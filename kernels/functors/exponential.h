#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "graph/host_device.h"

/// exp for loops that should be vectorised. The C library's function would be a call, which prevents that.
namespace ddlbench::kernels {

DDLBENCH_HOST_DEVICE inline double exponential(double x) {
  return std::exp(x);
}

/// Returns exp(x) within 2 units in the last place on [−80, 80], and a constant beyond: never 0, infinity or a denormal
/// number, which would make products slow. NaN stays NaN. Computes e^x = 2^n e^r with n = round(x / ln 2), |r| ≤ ln 2 /
/// 2 and the polynomial of Cephes' expf for e^r.
DDLBENCH_HOST_DEVICE inline float exponential(float x) {
#if defined(__CUDA_ARCH__)
  return expf(x);
#else
  constexpr float lowest = -80.0f, highest = 80.0f;
  constexpr float rounder = 12582912.0f;                               // 1.5·2²³: adding it rounds to an integer
  constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;  // n·ln2_high is exact
  constexpr std::int32_t bias = 127, mantissa_bits = 23;
  x = x < lowest ? lowest : x;
  x = x > highest ? highest : x;
  const float shifted = x * 1.44269504f + rounder;
  const float n = shifted - rounder;
  const float r = x - n * ln2_high - n * ln2_low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(rounder) + bias;
  return p * std::bit_cast<float>(static_cast<std::int32_t>(static_cast<std::uint32_t>(exponent) << mantissa_bits));
#endif
}

}  // namespace ddlbench::kernels
