#pragma once

#include "graph/ops/codecs/kind.h"
#include "kernels/functors/codecs/group.h"

namespace ddlbench::kernels {

struct TwoBitRule {
  static constexpr int bits = 2, scales = 0;
  static constexpr bool draws = false;
  std::int64_t group = graph::GroupedLayout::tile;
  float threshold;

  explicit TwoBitRule(const graph::Codec& codec)
      : threshold(static_cast<float>(value_of<double>(codec.options, "threshold"))) {}

  DDLBENCH_HOST_DEVICE std::uint32_t code(const GroupScales<scales>&, float v, float) const {
    const std::uint32_t sign = v < 0 ? 3 : 1, finite = std::fabs(v) >= threshold ? sign : 0;
    return magnitude_bits(v) < infinity_bits ? finite : 2;
  }
  DDLBENCH_HOST_DEVICE float value(const GroupScales<scales>&, std::uint32_t code) const {
    const float positive = (code & 1) != 0 ? threshold : 0.0f;
    const float negative = (code & 1) != 0 ? -threshold : std::bit_cast<float>(0x7FC00000u);
    return (code & 2) != 0 ? negative : positive;
  }
};

}  // namespace ddlbench::kernels
