#pragma once

#include <cstdint>

#include "graph/normalisation.h"
#include "kernels/binding.h"

/// What devices share to normalise bytes (graph/ops/normalise.h).
namespace ddlbench::kernels {

/// Planes of `inner` values that lie one after another, those of each channel in turn; one plane where all values have
/// one mean.
struct NormaliseSizes {
  std::int64_t elements = 0;
  std::int64_t channels = 1, inner = 1;
};

/// Refuses (InputError) types that the op does not infer.
NormaliseSizes sizes_of_normalise(const Binding& binding);

/// graph::normalised of one channel, in the type that it is computed in.
template <class Real>
struct NormalisePoint {
  Real mean = 0, deviation = 1;
  DDLBENCH_HOST_DEVICE float operator()(std::uint8_t byte) const { return graph::normalised(byte, mean, deviation); }
};

/// Those of all channels.
template <class Real>
class NormalisePoints {
 public:
  explicit NormalisePoints(const graph::Normalisation& of) {
    for (std::size_t channel = 0; channel < of.mean.size(); ++channel)
      points_[channel] = {static_cast<Real>(of.mean[channel]), static_cast<Real>(of.deviation[channel])};
  }
  /// By comparisons: what a GPU's thread indexes, it first copies to memory of its own.
  DDLBENCH_HOST_DEVICE NormalisePoint<Real> of(std::int64_t channel) const {
    NormalisePoint<Real> point = points_[0];
    for (int k = 1; k < static_cast<int>(graph::most_normalised_channels); ++k)
      if (channel == k) point = points_[k];
    return point;
  }

 private:
  NormalisePoint<Real> points_[graph::most_normalised_channels] = {};
};

/// body(NormalisePoints<float or double>), as the arithmetic says.
auto with_points(const graph::Normalisation& of, const auto& body) {
  if (of.arithmetic == graph::Normalisation::Arithmetic::f64) return body(NormalisePoints<double>(of));
  return body(NormalisePoints<float>(of));
}

}  // namespace ddlbench::kernels
