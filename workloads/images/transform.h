#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "workloads/dataset.h"
#include "workloads/images/decode.h"
#include "workloads/images/resample.h"

namespace ddlbench::workloads {

/// Values in [0, 1] to those of mean 0 and deviation 1, channel by channel: (value / 255 − mean) / deviation in f32,
/// the operations of torchvision's ToTensor and Normalize one by one.
class Normalisation {
 public:
  /// Throws InputError, naming `who`, where a deviation is not positive or a value becomes one that no float holds.
  Normalisation(const std::array<double, 3>& mean, const std::array<double, 3>& deviation, const std::string& who);
  const std::array<float, 256>& operator[](std::size_t channel) const { return tables_[channel]; }

 private:
  std::array<std::array<float, 256>, 3> tables_;
};

/// "0.485,0.456,0.406" of an option; InputError names `who` and the option.
std::array<double, 3> three_numbers(const std::string& text, const std::string& who, const std::string& option);

/// Of three bytes a pixel, to planes of f32.
void write_planes(const Pixels& pixels, const Normalisation& normalisation, bool mirrored, float* to);

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
void transform(const std::string& path, const TransformSettings& settings, const Normalisation& normalisation,
               const SampleDraw& draw, TransformScratch& scratch, float* to);

}  // namespace ddlbench::workloads
