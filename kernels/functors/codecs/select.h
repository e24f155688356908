#pragma once

#include "graph/ops/codecs/kind.h"
#include "kernels/functors/codecs/group.h"

/// Codecs with a SelectedLayout. Elements are selected by keys: larger ones first, and of equal ones those with lower
/// indices.
namespace ddlbench::kernels {

/// All NaNs have the same key, the largest.
struct LargestMagnitude {
  DDLBENCH_HOST_DEVICE static std::uint32_t key(float v) {
    const std::uint32_t bits = magnitude_bits(v);
    return bits < infinity_bits + 1 ? bits : infinity_bits + 1;
  }
};

template <bool smallest>
struct Extreme {
  DDLBENCH_HOST_DEVICE static std::uint32_t key(float v) {
    const float signless = (smallest ? -v : v) + 0.0f;  // −0 becomes 0
    const auto bits = std::bit_cast<std::uint32_t>(signless);
    const std::uint32_t ordered = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    return v == v ? ordered : 0xFFFFFFFFu;
  }
};
using Largest = Extreme<false>;
using Smallest = Extreme<true>;

/// The mean of selected values: their sum in runs of 2048, each in columns as the values of a group
/// (kernels/functors/codecs/group.h), and these sums in f64 in order.
constexpr std::int64_t mean_run = 2048;

DDLBENCH_HOST_DEVICE inline float mean_of(double sum, std::int64_t count) {
  return stored(static_cast<float>(sum / static_cast<double>(count)));
}

/// Whether the largest values are sent, rather than the smallest; also if a mean is NaN.
DDLBENCH_HOST_DEVICE inline bool sends_largest(float mean_of_largest, float mean_of_smallest) {
  return !(mean_of_largest < -mean_of_smallest);
}

}  // namespace ddlbench::kernels
