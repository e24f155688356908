#pragma once

#include <bit>
#include <cstdint>

namespace ddlbench::comm {

// 16-bit floats to and from f32, rounding to nearest even, NaN to a quiet NaN. Without branches, so that
// loops over them vectorise on any instruction set.

inline float from_bf16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

inline std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  const std::uint32_t quiet = bits | 0x00400000u;
  return static_cast<std::uint16_t>(((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded) >> 16);
}

inline float from_f16(std::uint16_t value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(value & 0x7fffu) << 13;
  // The exponents' biases differ by 112: the product is exact, subnormal numbers included.
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const std::uint32_t special = magnitude >= (31u << 23) ? 0x7f800000u : 0u;
  return std::bit_cast<float>(scaled | special | sign);
}

inline std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const auto magnitude = static_cast<std::int32_t>(bits & 0x7fffffffu);
  const auto normal = static_cast<std::uint32_t>((magnitude - (112 << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13);
  // Adding one half aligns the last bit of a subnormal f16 with that of the sum.
  const float sum = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(sum) - 0x3f000000u;
  std::uint32_t result = magnitude < (113 << 23) ? subnormal : normal;
  result = magnitude >= (143 << 23) ? 0x7c00u : result;
  result = magnitude > 0x7f800000 ? 0x7e00u : result;
  return static_cast<std::uint16_t>(result | sign);
}

}  // namespace ddlbench::comm
