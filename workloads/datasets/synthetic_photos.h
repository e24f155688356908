#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/images/image.h"

namespace ddlbench::workloads {

/// Settings of a folder of images that are similar enough to photographs that decoding costs as much, and whose class
/// can be learned. Each class has its own stripes (direction, width) and tint; each image has its own lighting, phase,
/// patches and grain. A mirrored image still belongs to its class only. The settings determine the pixels, up to
/// floating-point rounding on other processors.
struct SyntheticPhotos {
  int classes = 3;
  int per_class = 100;
  int validation_per_class = 25;
  ImageSize size{500, 375};
  int quality = 90;
  std::uint64_t seed = 1;
};

/// Writes the RGB rows of image `number` of class `label` to `rgb`.
void draw_photo(const SyntheticPhotos& photos, int label, std::int64_t number, std::vector<std::uint8_t>& rgb);

/// Writes train/class_00/000000.jpg … and val/… as the data set image-folder reads them, and returns the bytes written.
/// Creates `folder`. Throws InputError where it exists and is not empty, or cannot be written.
std::int64_t write_photos(const std::string& folder, const SyntheticPhotos& photos);

}  // namespace ddlbench::workloads
