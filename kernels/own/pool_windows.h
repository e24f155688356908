#pragma once

#include <cstdint>

#include "kernels/own/divider.h"
#include "kernels/own/team.h"

/// The positions that a window covers, and the windows that contain a position, along one dimension.
namespace ddlbench::kernels::own {

struct Range {
  std::int64_t begin = 0, end = 0;
  DDLBENCH_DEVICE std::int64_t size() const { return end - begin; }
};

/// Pooling windows that move over `size` positions by a fixed stride.
struct SlidingWindows {
  Divider stride;
  std::int64_t kernel, padding;
  std::int64_t size, windows;

  /// Returns the subrange of [0, kernel) of a window that lies inside the image.
  DDLBENCH_DEVICE Range within(std::int64_t window) const {
    const std::int64_t hidden = padding - window * stride.divisor(), rest = size + hidden;
    return {hidden > 0 ? hidden : 0, rest < kernel ? rest : kernel};
  }
  /// Returns the position in the image of a window's first element; negative if that lies in the padding.
  DDLBENCH_DEVICE std::int64_t corner(std::int64_t window) const { return window * stride.divisor() - padding; }
  /// Returns the windows that contain a position: window · stride ≤ place + padding < window · stride + kernel.
  DDLBENCH_DEVICE Range windows_containing(std::int64_t place) const {
    const std::int64_t at = place + padding, end = stride.quotient(at) + 1;
    return {at < kernel ? 0 : stride.quotient(at - kernel) + 1, end < windows ? end : windows};
  }
};

/// The windows of adaptive pooling over `size` positions: window i covers ⌊i·size/windows⌋ to ⌈(i + 1)·size/windows⌉,
/// exclusive. With positions and windows exchanged, the same formula gives the windows that contain a position.
struct AdaptiveWindows {
  Divider size, windows;

  DDLBENCH_DEVICE Range of(std::int64_t window) const { return share(window, size, windows); }
  DDLBENCH_DEVICE Range windows_containing(std::int64_t place) const { return share(place, windows, size); }

 private:
  DDLBENCH_DEVICE static Range share(std::int64_t i, const Divider& whole, const Divider& parts) {
    return {parts.quotient(i * whole.divisor()), parts.quotient((i + 1) * whole.divisor() + parts.divisor() - 1)};
  }
};

}  // namespace ddlbench::kernels::own
