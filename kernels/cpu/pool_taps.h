#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/independent.h"
#include "kernels/sizes/layers.h"

/// Pooling of a row of windows, element by element: first the upper left elements of all windows, then the next
/// elements. Loops over windows are long and have no branches, unlike loops over the elements of a window.
namespace ddlbench::kernels::cpu {

/// The number of outputs that are computed together: their temporaries on the stack stay in the L1 cache.
inline constexpr std::int64_t tile_outputs = 512;

/// One element of the windows [begin, end) of a row, all of which have it inside the image. Window q has it at offset +
/// q · stride of its plane.
struct Tap {
  int within = 0;  ///< row-major index in the window
  std::int64_t offset = 0;
  std::int64_t begin = 0, end = 0;
};

/// Calls body(Tap) for each element of the windows [begin, end) of output row p, in row-major order.
void each_tap(const PoolSizes& z, std::int64_t p, std::int64_t begin, std::int64_t end, const auto& body) {
  for (int r = 0; r < z.kernel; ++r) {
    const std::int64_t row = p * z.stride + r - z.padding;
    if (row < 0 || row >= z.h) continue;
    for (int s = 0; s < z.kernel; ++s) {
      const std::int64_t hidden = z.padding - s, last = z.w - 1 + hidden;  // hidden ≤ q · stride ≤ last
      if (last < 0) continue;
      const std::int64_t first = hidden > 0 ? (hidden + z.stride - 1) / z.stride : 0;
      const Tap tap{r * z.kernel + s, row * z.w - hidden, std::max(begin, first), std::min(end, last / z.stride + 1)};
      if (tap.begin < tap.end) body(tap);
    }
  }
}

/// Calls body(stride), as a compile-time constant if it is 1 or 2.
void with_stride(int stride, const auto& body) {
  if (stride == 1) return body(std::integral_constant<std::int64_t, 1>{});
  if (stride == 2) return body(std::integral_constant<std::int64_t, 2>{});
  body(std::int64_t{stride});
}

}  // namespace ddlbench::kernels::cpu
