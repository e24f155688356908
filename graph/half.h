#pragma once

#include <bit>
#include <cstdint>

#include "graph/host_device.h"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

/// 16-bit floating-point numbers as stored in memory. All arithmetic is in f32: to_f32 converts exactly; from_f32
/// rounds to nearest, ties to even, and converts every NaN to 0x7FFF. On a GPU each conversion is one instruction (for
/// bf16 from sm_80 on). On the host, code without branches computes the same numbers, so that loops vectorise with any
/// instruction set.
namespace ddlbench::graph {

struct Bfloat16 {
  std::uint16_t bits;
};

struct Float16 {
  std::uint16_t bits;
};

/// Returns all ones if a < b, else zeros. Both must be non-negative. GCC compiles some comparisons to branches; it does
/// not for this.
DDLBENCH_HOST_DEVICE inline std::uint32_t mask_of_less(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint32_t>((a - b) >> 31);
}

DDLBENCH_HOST_DEVICE inline float to_f32(float value) {
  return value;
}

DDLBENCH_HOST_DEVICE inline float to_f32(Bfloat16 value) {
#if defined(__CUDA_ARCH__)
  return __bfloat162float(__ushort_as_bfloat16(value.bits));
#else
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
#endif
}

DDLBENCH_HOST_DEVICE inline float to_f32(Float16 value) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(value.bits));
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::int32_t magnitude = (value.bits & 0x7FFF) << 13;
  const std::uint32_t subnormal = mask_of_less(magnitude, 1 << 23), finite = mask_of_less(magnitude, 31 << 23);
  // The exponent biases differ by 112. A subnormal number gets the exponent of 2⁻¹⁴ and an implicit leading one;
  // subtracting 2⁻¹⁴ then removes that one.
  const std::uint32_t raised = static_cast<std::uint32_t>(magnitude) + (112u << 23) + (subnormal & (1u << 23));
  const float added = std::bit_cast<float>(subnormal & (113u << 23));
  const auto result = std::bit_cast<std::uint32_t>(std::bit_cast<float>(raised) - added) + (~finite & (112u << 23));
  return std::bit_cast<float>(result | sign);
#endif
}

/// Rounds `value` to T. Call it as from_f32<T>(value).
template <class T>
DDLBENCH_HOST_DEVICE inline T from_f32(float value);

template <>
DDLBENCH_HOST_DEVICE inline float from_f32<float>(float value) {
  return value;
}

template <>
DDLBENCH_HOST_DEVICE inline Bfloat16 from_f32<Bfloat16>(float value) {
#if defined(__CUDA_ARCH__)
  return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
#else
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  return {static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded)};
#endif
}

template <>
DDLBENCH_HOST_DEVICE inline Float16 from_f32<Float16>(float value) {
#if defined(__CUDA_ARCH__)
  return {__half_as_ushort(__float2half_rn(value))};
#else
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const auto magnitude = static_cast<std::int32_t>(bits & 0x7FFFFFFFu);
  const auto normal = static_cast<std::uint32_t>((magnitude - (112 << 23) + 0x0FFF + ((magnitude >> 13) & 1)) >> 13);
  // Adding 0.5 aligns the last bit of a subnormal f16 number with the last bit of the f32 sum, so that the addition
  // rounds.
  const float sum = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(sum) - 0x3F000000u;
  const std::uint32_t small = mask_of_less(magnitude, 113 << 23), finite = mask_of_less(magnitude, 143 << 23),
                      nan = mask_of_less(0x7F800000, magnitude);
  const std::uint32_t result =
      (subnormal & small) | (normal & finite & ~small) | (0x7C00u & ~finite) | (0x3FFu & nan) | (sign & ~nan);
  return {static_cast<std::uint16_t>(result)};
#endif
}

}  // namespace ddlbench::graph
