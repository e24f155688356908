#pragma once

#include <cstdint>
#include <string>

#include "workloads/dataset.h"
#include "workloads/images/decode.h"
#include "workloads/images/normalisation_tables.h"
#include "workloads/images/resample.h"

namespace ddlbench::workloads {

/// Returns the random crop of `draw`: torchvision's RandomResizedCrop, drawn by Philox with (key, index, try). Tries up
/// to ten times an area of 8 to 100 % and an aspect ratio of 3/4 to 4/3 (log-uniform); falls back to the largest
/// central region within these ratios.
Region random_crop(ImageSize image, const SampleDraw& draw);
bool random_mirror(const SampleDraw& draw);  ///< true for half of all draws

/// The transformation of an image between its file and the network.
struct TransformSettings {
  int size = 224;           ///< the result is [3, size, size]
  bool random_crop = true;  ///< else resize the shorter side to `shorter_side` and crop the centre
  int shorter_side = 256;
  bool mirror = true;   ///< mirror half of the samples
  bool reduce = false;  ///< decode JPEG at 1/2, 1/4 or 1/8 where that leaves at least `size` pixels
};

/// Buffers for `transform`, one per thread.
struct TransformScratch {
  Decoder decoder;
  Resampler resampler;
};

/// Decodes the image at `path` and writes it to `to` as planes, 3·size·size values: torchvision's
/// Compose([RandomResizedCrop(size) or Resize(shorter_side), CenterCrop(size)], RandomHorizontalFlip(), ToTensor(),
/// Normalize(…)) for PIL images, with random numbers of its own. A pure function of file, settings and draw. Throws
/// BadData.
void transform(const std::string& path, const TransformSettings& settings, const NormalisationTables& tables,
               const SampleDraw& draw, TransformScratch& scratch, float* to);
/// Same, but writes bytes that are not normalised.
void transform(const std::string& path, const TransformSettings& settings, const SampleDraw& draw,
               TransformScratch& scratch, std::uint8_t* to);

}  // namespace ddlbench::workloads
