#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/host_device.h"
#include "graph/tensor.h"

namespace ddlbench::graph {

/// The normalisation of the bytes of images: (byte / 255 − mean) / deviation, as torchvision's ToTensor and Normalize
/// compute it. Mean and deviation are either one number each for all values, or one for each channel (dimension 1 of a
/// batch).
struct Normalisation {
  /// The type to which each of the three operations is rounded. The result is rounded to f32.
  enum class Arithmetic : std::uint8_t { f32, f64 };

  std::vector<double> mean;
  std::vector<double> deviation;
  Arithmetic arithmetic = Arithmetic::f32;

  bool operator==(const Normalisation&) const = default;
};

/// The maximum number of channels with a mean each.
inline constexpr std::size_t max_normalised_channels = 4;

/// Returns text such as "mean=0.5,0.4,0.3 deviation=0.25,0.2,0.3 arithmetic=f32".
std::string to_string(const Normalisation& normalisation);

/// Computes the formula in the arithmetic of `Real`: float or double.
template <class Real>
DDLBENCH_HOST_DEVICE inline float normalised(std::uint8_t byte, Real mean, Real deviation) {
  return static_cast<float>((static_cast<Real>(byte) / Real(255) - mean) / deviation);
}

/// Normalises one byte of channel `channel`. The channel does not matter if all channels have the same mean.
float normalised(const Normalisation& normalisation, std::size_t channel, std::uint8_t byte);

/// Normalises `samples` whole samples, stored one after another. Each has the shape `sample`, with channels as the
/// outermost dimension.
std::vector<float> normalised(const Normalisation& normalisation, const Shape& sample, const std::uint8_t* bytes,
                              std::int64_t samples);

}  // namespace ddlbench::graph
