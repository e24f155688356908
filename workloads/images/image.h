#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ddlbench::workloads {

struct ImageSize {
  int width = 0;
  int height = 0;
  bool operator==(const ImageSize&) const = default;
};

/// A rectangle of pixels.
struct Region {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Region&) const = default;
};

/// Returns the smallest region that covers `region` in the image reduced by `reduction`, whose size is `image`.
inline Region reduced(const Region& region, int reduction, ImageSize image) {
  const int left = region.left / reduction, top = region.top / reduction;
  const int right = std::min(image.width, (region.left + region.width + reduction - 1) / reduction);
  const int bottom = std::min(image.height, (region.top + region.height + reduction - 1) / reduction);
  return {left, top, right - left, bottom - top};
}

/// Rows of RGB bytes of an image, or of a part of one. Does not own them. At least 16 bytes after the last row must be
/// readable, so that loops can use vectors.
struct Pixels {
  const std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0;  ///< bytes from one row to the next
};

}  // namespace ddlbench::workloads
