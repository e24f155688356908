#pragma once

#include <cstdint>

#include "kernels/own/divider.h"
#include "kernels/own/team.h"

/// Which windows hold a place, and which places a window holds, along one dimension.
namespace ddlbench::kernels::own {

struct Range {
  std::int64_t begin = 0, end = 0;
  DDLBENCH_DEVICE std::int64_t size() const { return end - begin; }
};

/// Windows that move over `size` places.
struct MovingWindows {
  Divider stride;
  std::int64_t kernel, padding;
  std::int64_t size, windows;

  /// Of the places [0, kernel) of a window those that are in the image.
  DDLBENCH_DEVICE Range within(std::int64_t window) const {
    const std::int64_t hidden = padding - window * stride.divisor(), rest = size + hidden;
    return {hidden > 0 ? hidden : 0, rest < kernel ? rest : kernel};
  }
  /// The place in the image of place 0 of a window; below 0 in the padding.
  DDLBENCH_DEVICE std::int64_t corner(std::int64_t window) const { return window * stride.divisor() - padding; }
  /// window · stride ≤ place + padding < window · stride + kernel.
  DDLBENCH_DEVICE Range holding(std::int64_t place) const {
    const std::int64_t at = place + padding, end = stride.quotient(at) + 1;
    return {at < kernel ? 0 : stride.quotient(at - kernel) + 1, end < windows ? end : windows};
  }
};

/// Windows that share `size` places out: window i has ⌊i·size/windows⌋ to ⌈(i + 1)·size/windows⌉. The same holds with
/// places and windows exchanged for the windows that hold a place.
struct SharingWindows {
  Divider size, windows;

  DDLBENCH_DEVICE Range of(std::int64_t window) const { return share(window, size, windows); }
  DDLBENCH_DEVICE Range holding(std::int64_t place) const { return share(place, windows, size); }

 private:
  DDLBENCH_DEVICE static Range share(std::int64_t i, const Divider& whole, const Divider& parts) {
    return {parts.quotient(i * whole.divisor()), parts.quotient((i + 1) * whole.divisor() + parts.divisor() - 1)};
  }
};

}  // namespace ddlbench::kernels::own
