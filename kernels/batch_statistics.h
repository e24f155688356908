#pragma once

#include <cmath>
#include <cstdint>

#include "graph/random.h"

/// The arithmetic of one channel of batch normalisation, in f64 on every device: a variance from two sums cancels.
namespace ddlbench::kernels {

/// Of the three sums that a group keeps of a channel.
struct ChannelStatistics {
  double mean, variance, count;  ///< the variance by n

  DDLBENCH_HOST_DEVICE ChannelStatistics(double sum, double squares, double n) : mean(sum / n), count(n) {
    const double difference = squares / n - mean * mean;
    variance = difference < 0 ? 0 : difference;  // by rounding alone; what is not a number stays so
  }
  DDLBENCH_HOST_DEVICE double rstd(float epsilon) const { return 1 / std::sqrt(variance + epsilon); }
  DDLBENCH_HOST_DEVICE double unbiased_variance() const {
    return count > 1 ? variance * (count / (count - 1)) : variance;
  }
};

/// Of channel c of group g in moments[G, 3, C].
DDLBENCH_HOST_DEVICE inline ChannelStatistics statistics_of(const float* moments, std::int64_t channels, std::int64_t g,
                                                            std::int64_t c) {
  const float* first = moments + g * 3 * channels + c;
  return {first[0], first[channels], first[2 * channels]};
}

/// z = (x − mean) scale + shift, with scale = gamma rstd and shift = beta. Backward works z out again from the same
/// numbers in the same way, and so finds the activation as forward left it.
struct NormPoint {
  float mean, scale, shift;

  DDLBENCH_HOST_DEVICE NormPoint(float m, float of_x, float added) : mean(m), scale(of_x), shift(added) {}
  DDLBENCH_HOST_DEVICE NormPoint(const ChannelStatistics& s, float epsilon, float gamma, float beta)
      : mean(static_cast<float>(s.mean)), scale(static_cast<float>(gamma * s.rstd(epsilon))), shift(beta) {}
  DDLBENCH_HOST_DEVICE float operator()(float x) const { return (x - mean) * scale + shift; }
};

/// dx = scale (dz − mean_dz − (x − mean) slope), with mean_dz = Σ dz / n and slope = rstd Σ dz x̂ / n; mean, scale and
/// shift are NormPoint's.
struct NormGradientPoint {
  float mean, scale, shift, mean_dz, slope;

  DDLBENCH_HOST_DEVICE NormGradientPoint(float m, float of_all, float added, float of_dz, float of_x)
      : mean(m), scale(of_all), shift(added), mean_dz(of_dz), slope(of_x) {}
  DDLBENCH_HOST_DEVICE NormGradientPoint(const ChannelStatistics& s, float epsilon, float gamma, float beta,
                                         double sum_dz_normal, double sum_dz)
      : mean(static_cast<float>(s.mean)),
        scale(static_cast<float>(gamma * s.rstd(epsilon))),
        shift(beta),
        mean_dz(static_cast<float>(sum_dz / s.count)),
        slope(static_cast<float>(s.rstd(epsilon) * sum_dz_normal / s.count)) {}
  DDLBENCH_HOST_DEVICE float z(float x) const { return NormPoint(mean, scale, shift)(x); }
  DDLBENCH_HOST_DEVICE float operator()(float dz, float x) const { return scale * (dz - mean_dz - (x - mean) * slope); }
};

/// One element of StatisticUpdate.
template <class Real>
DDLBENCH_HOST_DEVICE inline Real updated_statistic(float momentum, Real scale, Real statistic, Real observed) {
  return (Real(1) - momentum) * statistic + momentum * (scale * observed);
}

}  // namespace ddlbench::kernels
