#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/images/image.h"

namespace ddlbench::workloads {

/// A folder of images that look enough like photographs for decoding to cost as much, and whose class can be learned:
/// each class has its own stripes (direction, width) and tint; lighting, phase, patches and grain are each image's own.
/// A mirrored image is still of its class alone. The settings decide the pixels, but for roundings of other processors.
struct SyntheticPhotos {
  int classes = 3;
  int per_class = 100;
  int validation_per_class = 25;
  ImageSize size{500, 375};
  int quality = 90;
  std::uint64_t seed = 1;
};

/// RGB rows of image `number` of `label`.
void draw_photo(const SyntheticPhotos& photos, int label, std::int64_t number, std::vector<std::uint8_t>& rgb);

/// Writes train/class_00/000000.jpg … and val/… as data set image-folder reads them, and returns the bytes written.
/// `folder` is made; InputError where it is there and not empty, or cannot be written.
std::int64_t write_photos(const std::string& folder, const SyntheticPhotos& photos);

}  // namespace ddlbench::workloads
