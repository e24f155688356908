#pragma once

#include <cstdint>

#include "graph/normalisation.h"
#include "kernels/binding.h"

/// The parts that devices share to normalise bytes (graph/ops/normalise.h).
namespace ddlbench::kernels {

/// The tensor as a sequence of planes of `inner` values; plane i belongs to channel i modulo `channels`. If all values
/// have one mean, the tensor is a single plane.
struct NormaliseSizes {
  std::int64_t elements = 0;
  std::int64_t channels = 1, inner = 1;
};

/// Rejects types that the op does not infer (InputError).
NormaliseSizes sizes_of_normalise(const Binding& binding);

/// The function graph::normalised for one channel, computed in `Real`.
template <class Real>
struct NormalisePoint {
  Real mean = 0, deviation = 1;
  DDLBENCH_HOST_DEVICE float operator()(std::uint8_t byte) const { return graph::normalised(byte, mean, deviation); }
};

/// The points of all channels.
template <class Real>
class NormalisePoints {
 public:
  explicit NormalisePoints(const graph::Normalisation& of) {
    for (std::size_t channel = 0; channel < of.mean.size(); ++channel)
      points_[channel] = {static_cast<Real>(of.mean[channel]), static_cast<Real>(of.deviation[channel])};
  }
  /// Selects by comparisons: a GPU copies an array that a thread indexes dynamically to local memory first.
  DDLBENCH_HOST_DEVICE NormalisePoint<Real> of(std::int64_t channel) const {
    NormalisePoint<Real> point = points_[0];
    for (int k = 1; k < static_cast<int>(graph::max_normalised_channels); ++k)
      if (channel == k) point = points_[k];
    return point;
  }

 private:
  NormalisePoint<Real> points_[graph::max_normalised_channels] = {};
};

/// Calls body(NormalisePoints<float or double>), depending on `of.arithmetic`.
auto with_points(const graph::Normalisation& of, const auto& body) {
  if (of.arithmetic == graph::Normalisation::Arithmetic::f64) return body(NormalisePoints<double>(of));
  return body(NormalisePoints<float>(of));
}

}  // namespace ddlbench::kernels
