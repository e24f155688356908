#pragma once

#include <cstdint>
#include <string>

#include "workloads/dataset.h"
#include "workloads/images/decode.h"
#include "workloads/images/normalisation_tables.h"
#include "workloads/images/resample.h"

namespace ddlbench::workloads {

/// The part of an image that `draw` gives: an area of 8 to 100 % and an aspect ratio of 3/4 to 4/3 (its logarithm
/// uniform) in ten tries, else the largest central part of a fitting ratio: torchvision's RandomResizedCrop, drawn by
/// Philox with (key, index, try).
Region random_crop(ImageSize image, const SampleDraw& draw);
bool random_mirror(const SampleDraw& draw);  ///< one half of all draws

/// What is done with a photograph between its file and the network.
struct TransformSettings {
  int size = 224;           ///< of the result: [3, size, size]
  bool random_crop = true;  ///< else: the shorter side to `shorter_side`, and of that the centre
  int shorter_side = 256;
  bool mirror = true;   ///< one half of the samples
  bool reduce = false;  ///< decode JPEG at 1/2, 1/4 or 1/8 where no less than `size` is left
};

/// Memory of a thread that transforms.
struct TransformScratch {
  Decoder decoder;
  Resampler resampler;
};

/// Decodes the image at `path` and writes it as planes: torchvision's Compose([RandomResizedCrop(size) or
/// Resize(shorter_side), CenterCrop(size)], RandomHorizontalFlip(), ToTensor(), Normalize(…)) of PIL images, with its
/// own draws. A pure function of the file, the settings and the draw. Throws BadData. `to` holds 3·size·size.
void transform(const std::string& path, const TransformSettings& settings, const NormalisationTables& tables,
               const SampleDraw& draw, TransformScratch& scratch, float* to);
/// The same, not normalised.
void transform(const std::string& path, const TransformSettings& settings, const SampleDraw& draw,
               TransformScratch& scratch, std::uint8_t* to);

}  // namespace ddlbench::workloads
