#pragma once

#include "graph/ops/codecs/kind.h"
#include "kernels/functors/codecs/group.h"

namespace ddlbench::kernels {

/// Scales: the mean of the negative values (and NaN), the mean of the others.
struct OneBitRule {
  static constexpr int bits = 1, scales = 2;
  static constexpr bool draws = false;
  std::int64_t group;

  explicit OneBitRule(const graph::Codec& codec) : group(value_of<std::int64_t>(codec.options, "group")) {}

  struct Part {
    float negative, other;
    std::int32_t others;
  };
  DDLBENCH_HOST_DEVICE void add(Part& part, float v) const {
    if (v >= 0) {
      part.other += v;
      ++part.others;
    } else {
      part.negative += v;
    }
  }
  DDLBENCH_HOST_DEVICE Part join(const Part& a, const Part& b) const {
    return {a.negative + b.negative, a.other + b.other, a.others + b.others};
  }
  DDLBENCH_HOST_DEVICE GroupScales<scales> scales_of(const Part& part, std::int64_t count) const {
    return {{mean(part.negative, static_cast<std::int32_t>(count) - part.others), mean(part.other, part.others)}};
  }
  DDLBENCH_HOST_DEVICE std::uint32_t code(const GroupScales<scales>&, float v, float) const { return v >= 0 ? 1 : 0; }
  DDLBENCH_HOST_DEVICE float value(const GroupScales<scales>& means, std::uint32_t code) const {
    const float negative = means.of[0], other = means.of[1];
    return code != 0 ? other : negative;
  }

 private:
  DDLBENCH_HOST_DEVICE static float mean(float sum, std::int32_t count) {
    return count == 0 ? 0 : stored(sum / static_cast<float>(count));
  }
};

}  // namespace ddlbench::kernels
