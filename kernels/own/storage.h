#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "graph/random.h"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

/// 16-bit numbers as they lie in memory. Arithmetic is in f32 everywhere: loads widen, stores round to the nearest,
/// ties to even. On a GPU each is one instruction (of bf16 from sm_80 on), on the host the same numbers in plain C++.
namespace ddlbench::kernels::own {

struct Bfloat16 {
  std::uint16_t bits;
};

struct Float16 {
  std::uint16_t bits;
};

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
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000) << 16;
  const std::uint32_t rest = value.bits & 0x7FFF;
  if (rest < 0x0400) {  // zero and subnormal: a multiple of 2⁻²⁴
    const float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t bias =
      rest >= 0x7C00 ? 0x70000000u : 0x38000000u;  // infinity and NaN keep their exponent of ones
  return std::bit_cast<float>(sign | ((rest << 13) + bias));
#endif
}

/// from_f32<T>(value).
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
  if (value != value) return {0x7FFF};  // rounding could carry a NaN into infinity
  return {static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)};
#endif
}

template <>
DDLBENCH_HOST_DEVICE inline Float16 from_f32<Float16>(float value) {
#if defined(__CUDA_ARCH__)
  return {__half_as_ushort(__float2half_rn(value))};
#else
  const auto all = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((all >> 16) & 0x8000);
  const std::uint32_t magnitude = all & 0x7FFFFFFF;
  const auto signed_bits = [sign](std::uint32_t bits) { return Float16{static_cast<std::uint16_t>(sign | bits)}; };
  if (magnitude > 0x7F800000) return signed_bits(0x7FFF);
  if (magnitude >= 0x477FF000) return signed_bits(0x7C00);  // from 65520 on infinity
  if (magnitude < 0x38800000) {  // below 2⁻¹⁴: adding 1/2 rounds to a multiple of 2⁻²⁴
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return signed_bits(std::bit_cast<std::uint32_t>(shifted) - 0x3F000000u);
  }
  return signed_bits((magnitude - 0x38000000u + 0x0FFF + ((magnitude >> 13) & 1)) >> 13);
#endif
}

/// As many numbers as one load or store moves.
template <class T, int width>
struct alignas(sizeof(T) * width) Pack {
  T of[width];
};

template <int width>
struct Floats {
  float of[width];
};

/// `from` is aligned to the pack.
template <int width, class T>
DDLBENCH_HOST_DEVICE inline Floats<width> load(const T* from) {
  const auto pack = *reinterpret_cast<const Pack<T, width>*>(from);
  Floats<width> values;
  for (int k = 0; k < width; ++k) values.of[k] = to_f32(pack.of[k]);
  return values;
}

template <int width, class T>
DDLBENCH_HOST_DEVICE inline void store(T* to, const Floats<width>& values) {
  Pack<T, width> pack;
  for (int k = 0; k < width; ++k) pack.of[k] = from_f32<T>(values.of[k]);
  *reinterpret_cast<Pack<T, width>*>(to) = pack;
}

/// Writes, or adds to what is there.
template <int width, class T>
DDLBENCH_HOST_DEVICE inline void store(T* to, Floats<width> values, bool accumulate) {
  if (accumulate) {
    const auto before = load<width>(to);
    for (int k = 0; k < width; ++k) values.of[k] += before.of[k];
  }
  store(to, values);
}

template <class T>
DDLBENCH_HOST_DEVICE inline void store_one(T* to, float value, bool accumulate) {
  *to = from_f32<T>(accumulate ? to_f32(*to) + value : value);
}

}  // namespace ddlbench::kernels::own
