#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/hash.h"
#include "graph/random.h"
#include "graph/scalars.h"

/// Decides which elements dropout keeps (graph/ops/dropout.h), identically on every device.
namespace ddlbench::kernels {

/// The number of elements that use the words of one Philox draw.
constexpr int words_per_draw = 4;

/// The parameters that are known when a kernel is bound.
struct DropoutRule {
  std::uint64_t layer;      ///< hash of the layer's name
  std::uint32_t threshold;  ///< an element is kept if its random word is at least this
  double scale;             ///< factor of kept elements

  DropoutRule(float rate, std::string_view name)
      : layer(fnv1a(name)),
        threshold(static_cast<std::uint32_t>(std::ceil(static_cast<double>(rate) * 0x1p32))),
        scale(1 / (1 - static_cast<double>(rate))) {}
};

/// The Philox key and counter of a step.
struct DropoutDraw {
  std::uint64_t key, step;

  DDLBENCH_HOST_DEVICE DropoutDraw(const DropoutRule& rule, const graph::Scalars& scalars)
      : key(graph::random_key(scalars.seed, graph::Purpose::dropout, rule.layer)),
        step(static_cast<std::uint64_t>(scalars.step)) {}

  /// Returns the lower half of Philox's counter for a draw of a sample.
  DDLBENCH_HOST_DEVICE static std::uint64_t counter(std::int32_t sample, std::int64_t draw) {
    return (std::uint64_t{static_cast<std::uint32_t>(sample)} << 32) + static_cast<std::uint64_t>(draw);
  }
  /// Returns the random words of elements [4 · draw, 4 · draw + 4) of a sample.
  DDLBENCH_HOST_DEVICE graph::Philox words(std::int32_t sample, std::int64_t draw) const {
    return graph::philox(key, step, counter(sample, draw));
  }
};

}  // namespace ddlbench::kernels
