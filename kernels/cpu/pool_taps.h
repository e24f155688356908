#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/independent.h"
#include "kernels/sizes/layers.h"

/// A row of windows, place by place: what all windows do with their upper left place, then with the next. Loops over
/// windows are long and without branches where loops over the places of a window are neither.
namespace ddlbench::kernels::cpu {

/// A place that windows [begin, end) of a row have in the image: window q's is at offset + q · stride of its plane.
struct Tap {
  int within = 0;  ///< row-major number in the window
  std::int64_t offset = 0;
  std::int64_t begin = 0, end = 0;
};

/// body(Tap) for the places of the windows [begin, end) of output row p, in their order.
void each_tap(const PoolSizes& z, std::int64_t p, std::int64_t begin, std::int64_t end, const auto& body) {
  for (int r = 0; r < z.kernel; ++r) {
    const std::int64_t row = p * z.stride + r - z.padding;
    if (row < 0 || row >= z.h) continue;
    for (int s = 0; s < z.kernel; ++s) {
      const std::int64_t hidden = z.padding - s, last = z.w - 1 + hidden;  // q · stride is from hidden to last
      if (last < 0) continue;
      const std::int64_t first = hidden > 0 ? (hidden + z.stride - 1) / z.stride : 0;
      const Tap tap{r * z.kernel + s, row * z.w - hidden, std::max(begin, first), std::min(end, last / z.stride + 1)};
      if (tap.begin < tap.end) body(tap);
    }
  }
}

/// body(stride), a constant where it is a usual one.
void with_stride(int stride, const auto& body) {
  if (stride == 1) return body(std::integral_constant<std::int64_t, 1>{});
  if (stride == 2) return body(std::integral_constant<std::int64_t, 2>{});
  body(std::int64_t{stride});
}

}  // namespace ddlbench::kernels::cpu
