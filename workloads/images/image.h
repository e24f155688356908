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

/// A rectangle of whole pixels.
struct Region {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Region&) const = default;
};

/// `region` of an image in pixels of the image reduced by `reduction`, which has the extent `image`: all that it
/// touches.
inline Region reduced(const Region& region, int reduction, ImageSize image) {
  const int left = region.left / reduction, top = region.top / reduction;
  const int right = std::min(image.width, (region.left + region.width + reduction - 1) / reduction);
  const int bottom = std::min(image.height, (region.top + region.height + reduction - 1) / reduction);
  return {left, top, right - left, bottom - top};
}

/// Rows of RGB bytes of an image, or of a part of one. Borrowed. At least 16 bytes behind the last row may be read,
/// so that loops take vectors.
struct Pixels {
  const std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0;  ///< bytes from row to row
};

}  // namespace ddlbench::workloads
