#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "graph/host_device.h"
#include "graph/ops/codecs/layout.h"

/// Codecs with a GroupedLayout, as rules that all devices share. A rule has
///   bits, scales, draws           constants: of a code, f32 of a group, whether `code` uses a random number
///   group                         the number of elements of a group
///   Part                          what the scales depend on, of some values of a group; Part{}: of none
///   add(part, v), join(a, b)      adds a value; returns the Part of both
///   scales_of(part, count)        returns the scales of a group of `count` values
///   code(scales, v, u)            returns the code of v; u is in (0, 1]
///   value(scales, code)           returns D of a code
/// Part, add, join and scales_of are missing if there are no scales.
///
/// The values of a group are added in columns: value i to Part i % 32, in order; join then adds column c + 16 to column
/// c, c + 8 to c, and so on (as the lanes of a warp do: kernels/own/team.h). So all devices compute the same bits.
namespace ddlbench::kernels {

inline constexpr int sum_columns = 32;

/// Returns the Part of all columns, which it overwrites.
template <class Part, class Join>
DDLBENCH_HOST_DEVICE inline Part joined_columns(Part* columns, const Join& join) {
  for (int half = sum_columns / 2; half > 0; half /= 2)
    for (int c = 0; c < half; ++c) columns[c] = join(columns[c], columns[c + half]);
  return columns[0];
}

template <int count>
struct GroupScales {
  float of[count > 0 ? count : 1];
};

/// The bits of |v|: larger for larger magnitudes, and largest for NaN.
DDLBENCH_HOST_DEVICE inline std::uint32_t magnitude_bits(float v) {
  return std::bit_cast<std::uint32_t>(v) & 0x7FFFFFFFu;
}

constexpr std::uint32_t infinity_bits = 0x7F800000u;

/// Returns `value` as stored in payloads: devices make NaNs of different bits.
DDLBENCH_HOST_DEVICE inline float stored(float value) {
  return value == value ? value : std::bit_cast<float>(0x7FC00000u);
}

template <class Rule>
graph::GroupedLayout layout_of(const Rule& rule, std::int64_t elements) {
  return {elements, rule.group, Rule::bits, Rule::scales};
}

}  // namespace ddlbench::kernels
