#pragma once

#include "graph/ops/codecs/kind.h"
#include "kernels/functors/codecs/group.h"

namespace ddlbench::kernels {

/// Scale: the largest magnitude.
struct TernaryRule {
  static constexpr int bits = 2, scales = 1;
  static constexpr bool draws = true;
  std::int64_t group;

  explicit TernaryRule(const graph::Codec& codec) : group(value_of<std::int64_t>(codec.options, "group")) {}

  struct Part {
    std::uint32_t magnitude;
  };
  DDLBENCH_HOST_DEVICE void add(Part& part, float v) const { part = join(part, {magnitude_bits(v)}); }
  DDLBENCH_HOST_DEVICE Part join(const Part& a, const Part& b) const {
    return {a.magnitude > b.magnitude ? a.magnitude : b.magnitude};
  }
  DDLBENCH_HOST_DEVICE GroupScales<scales> scales_of(const Part& part, std::int64_t) const {
    return {{stored(std::bit_cast<float>(part.magnitude))}};
  }
  /// The comparison is such that a NaN, and an infinity among finite values, gets a code other than 0.
  DDLBENCH_HOST_DEVICE std::uint32_t code(const GroupScales<scales>& scale, float v, float u) const {
    const std::uint32_t taken = std::fabs(v) < u * scale.of[0] ? 0 : 3, sign = v < 0 ? 3 : 1;
    return taken & sign;
  }
  DDLBENCH_HOST_DEVICE float value(const GroupScales<scales>& scale, std::uint32_t code) const {
    const float magnitude = (code & 1) != 0 ? scale.of[0] : 0.0f;
    return (code & 2) != 0 ? -magnitude : magnitude;
  }
};

}  // namespace ddlbench::kernels
