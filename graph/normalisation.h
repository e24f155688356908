#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/host_device.h"
#include "graph/tensor.h"

namespace ddlbench::graph {

/// How the bytes of an image become numbers near mean 0 and deviation 1: (byte / 255 − mean) / deviation, as
/// torchvision's ToTensor and Normalize do. There is one of both for all values, or one for each channel (dimension 1
/// of a batch).
struct Normalisation {
  /// What each of the three operations is rounded to; the result is rounded to f32.
  enum class Arithmetic : std::uint8_t { f32, f64 };

  std::vector<double> mean;
  std::vector<double> deviation;
  Arithmetic arithmetic = Arithmetic::f32;

  bool operator==(const Normalisation&) const = default;
};

/// Most channels that have a mean each.
inline constexpr std::size_t most_normalised_channels = 4;

/// "mean=0.5,0.4,0.3 deviation=0.25,0.2,0.3 arithmetic=f32"
std::string to_string(const Normalisation& normalisation);

/// The formula, in the arithmetic of `Real`: float or double.
template <class Real>
DDLBENCH_HOST_DEVICE inline float normalised(std::uint8_t byte, Real mean, Real deviation) {
  return static_cast<float>((static_cast<Real>(byte) / Real(255) - mean) / deviation);
}

/// Of a byte of channel `channel`; where all have one mean, of any.
float normalised(const Normalisation& normalisation, std::size_t channel, std::uint8_t byte);

/// Of whole samples, one after another, of which each has the shape `sample`, channels outermost.
std::vector<float> normalised(const Normalisation& normalisation, const Shape& sample, const std::uint8_t* bytes,
                              std::int64_t samples);

}  // namespace ddlbench::graph
