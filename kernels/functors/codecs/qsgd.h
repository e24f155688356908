#pragma once

#include "graph/ops/codecs/kind.h"
#include "kernels/functors/codecs/group.h"

namespace ddlbench::kernels {

/// Scale: the unit, see graph/ops/codecs/qsgd.cpp. Squares of f32 are exact in f64, so sums of them are the same with
/// and without fused multiplications and additions.
template <int code_bits>
struct QsgdRule {
  static constexpr int bits = code_bits, scales = 1, levels = (1 << (bits - 1)) - 1;
  static constexpr bool draws = true;
  std::int64_t group;

  explicit QsgdRule(const graph::Codec& codec) : group(value_of<std::int64_t>(codec.options, "group")) {}

  struct Part {
    double squares;
  };
  DDLBENCH_HOST_DEVICE void add(Part& part, float v) const { part.squares += double{v} * double{v}; }
  DDLBENCH_HOST_DEVICE Part join(const Part& a, const Part& b) const { return {a.squares + b.squares}; }
  DDLBENCH_HOST_DEVICE GroupScales<scales> scales_of(const Part& part, std::int64_t) const {
    return {{unit(std::sqrt(part.squares) / levels)}};
  }
  DDLBENCH_HOST_DEVICE std::uint32_t code(const GroupScales<scales>& unit, float v, float u) const {
    constexpr auto most = static_cast<float>(levels);
    const float ratio = std::fabs(v) / unit.of[0];
    const float bounded = ratio < most ? ratio : most;  // also if it is NaN
    const auto whole = static_cast<std::int32_t>(bounded);
    const std::int32_t level = whole + (bounded - static_cast<float>(whole) >= u ? 1 : 0);
    const std::int32_t sign = v < 0 && level != 0 ? levels + 1 : 0;
    return static_cast<std::uint32_t>(level | sign);
  }
  DDLBENCH_HOST_DEVICE float value(const GroupScales<scales>& unit, std::uint32_t code) const {
    const auto level = static_cast<std::int32_t>(code & static_cast<std::uint32_t>(levels));
    return unit.of[0] * static_cast<float>((code & (levels + 1u)) != 0 ? -level : level);
  }

 private:
  /// Rounds up to 16 significant bits; NaN if that is not finite.
  DDLBENCH_HOST_DEVICE static float unit(double exact) {
    const auto near = static_cast<float>(exact);
    constexpr std::uint32_t dropped = 0xFF;
    const std::uint32_t above = std::bit_cast<std::uint32_t>(near) + (static_cast<double>(near) < exact ? 1 : 0);
    const std::uint32_t rounded = (above + dropped) & ~dropped;
    return magnitude_bits(near) < infinity_bits && rounded < infinity_bits ? std::bit_cast<float>(rounded)
                                                                           : std::bit_cast<float>(0x7FC00000u);
  }
};

}  // namespace ddlbench::kernels
