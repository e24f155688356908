#pragma once

#include <cmath>
#include <cstdint>

#include "graph/host_device.h"
#include "graph/ops/batch_norm.h"

/// The arithmetic of batch normalisation for one channel, in f64 on every device.
namespace ddlbench::kernels {

/// Statistics of a channel in a group: the number of values, their mean, and M2 = Σ (x − mean)².
struct ChannelStatistics {
  double count, mean, m2;

  DDLBENCH_HOST_DEVICE double variance() const { return m2 / count; }
  DDLBENCH_HOST_DEVICE double rstd(float epsilon) const { return 1 / std::sqrt(variance() + epsilon); }
  DDLBENCH_HOST_DEVICE double unbiased_variance() const { return count > 1 ? m2 / (count - 1) : variance(); }
};

/// Computes statistics from Σ (x − shift) and Σ (x − shift)² of n values. A shift k standard deviations from the mean
/// makes M2 less accurate by a factor of 1 + k². If the shift is one of the values, k is at most √n, and M2 is exactly
/// 0 if all values are equal.
DDLBENCH_HOST_DEVICE inline ChannelStatistics statistics_of_sums(double n, double shift, double sum, double squares) {
  if (n == 0) return {0, 0, 0};
  const double m2 = squares - sum * (sum / n);
  return {n, shift + sum / n, m2 < 0 ? 0 : m2};  // negative only by rounding; NaN stays NaN
}

/// Combines the statistics of two sets of values (Chan, Golub & LeVeque 1979); either may be empty.
DDLBENCH_HOST_DEVICE inline ChannelStatistics combined(const ChannelStatistics& a, const ChannelStatistics& b) {
  const double n = a.count + b.count;
  if (n == 0) return a;
  const double difference = b.mean - a.mean, of_b = b.count / n;
  return {n, a.mean + difference * of_b, a.m2 + b.m2 + difference * difference * a.count * of_b};
}

/// Returns the statistics of channel c of group g in moments[G, 4, C].
DDLBENCH_HOST_DEVICE inline ChannelStatistics statistics_of(const float* moments, std::int64_t channels, std::int64_t g,
                                                            std::int64_t c) {
  const float* of_group = moments + g * graph::moment_rows * channels + c;
  const double mean = of_group[graph::mean_row * channels], rest = of_group[graph::mean_low_row * channels];
  return {of_group[graph::count_row * channels], mean + rest, of_group[graph::m2_row * channels]};
}

DDLBENCH_HOST_DEVICE inline void write_statistics(float* moments, std::int64_t channels, std::int64_t g, std::int64_t c,
                                                  const ChannelStatistics& s) {
  float* of_group = moments + g * graph::moment_rows * channels + c;
  const auto mean = static_cast<float>(s.mean);
  of_group[graph::count_row * channels] = static_cast<float>(s.count);
  of_group[graph::mean_row * channels] = mean;
  of_group[graph::mean_low_row * channels] = static_cast<float>(s.mean - mean);
  of_group[graph::m2_row * channels] = static_cast<float>(s.m2);
}

/// Sums over groups of a channel's means and unbiased variances, from which running statistics are updated.
struct ObservedStatistics {
  double mean = 0, variance = 0;
};
DDLBENCH_HOST_DEVICE inline ObservedStatistics observed_statistics(const float* moments, std::int64_t groups,
                                                                   std::int64_t channels, std::int64_t c) {
  ObservedStatistics all;
  for (std::int64_t g = 0; g < groups; ++g) {
    const auto s = statistics_of(moments, channels, g, c);
    all.mean += s.mean;
    all.variance += s.unbiased_variance();
  }
  return all;
}

/// The input of the activation, z = (x − mean) scale + shift. `mean` is the mean rounded to f32, scale = gamma rstd,
/// and shift = beta − (mean in f64 − `mean`) scale. The difference x − mean is exact if x is near the mean. Backward
/// recomputes z from the same numbers by the same operations, so its activation has the same sign as in forward.
struct NormPoint {
  float mean = 0, scale = 0, shift = 0;

  NormPoint() = default;
  DDLBENCH_HOST_DEVICE NormPoint(float m, float of_x, float added) : mean(m), scale(of_x), shift(added) {}
  DDLBENCH_HOST_DEVICE NormPoint(const ChannelStatistics& s, float epsilon, float gamma, float beta)
      : mean(static_cast<float>(s.mean)),
        scale(static_cast<float>(gamma * s.rstd(epsilon))),
        shift(static_cast<float>(beta - (s.mean - mean) * scale)) {}
  DDLBENCH_HOST_DEVICE float operator()(float x) const { return (x - mean) * scale + shift; }
};

/// dx = scale (dz − mean_dz − (x − mean) slope), with slope = rstd Σ dz x̂ / n and mean_dz = Σ dz / n − (mean in f64 −
/// `mean`) slope. mean, scale and shift are those of NormPoint.
struct NormGradientPoint {
  float mean, scale, shift, mean_dz, slope;

  DDLBENCH_HOST_DEVICE NormGradientPoint(float m, float of_all, float added, float of_dz, float of_x)
      : mean(m), scale(of_all), shift(added), mean_dz(of_dz), slope(of_x) {}
  DDLBENCH_HOST_DEVICE NormGradientPoint(const ChannelStatistics& s, float epsilon, float gamma, float beta,
                                         double sum_dz_normal, double sum_dz)
      : NormGradientPoint(s, NormPoint(s, epsilon, gamma, beta), sum_dz / s.count,
                          s.rstd(epsilon) * sum_dz_normal / s.count) {}
  DDLBENCH_HOST_DEVICE float z(float x) const { return NormPoint(mean, scale, shift)(x); }
  DDLBENCH_HOST_DEVICE float operator()(float dz, float x) const { return scale * (dz - mean_dz - (x - mean) * slope); }

 private:
  DDLBENCH_HOST_DEVICE NormGradientPoint(const ChannelStatistics& s, const NormPoint& z, double of_dz, double of_x)
      : mean(z.mean),
        scale(z.scale),
        shift(z.shift),
        mean_dz(static_cast<float>(of_dz - (s.mean - mean) * of_x)),
        slope(static_cast<float>(of_x)) {}
};

/// Returns an updated element of a running statistic (graph::StatisticUpdate).
template <class Real>
DDLBENCH_HOST_DEVICE inline Real updated_statistic(float momentum, Real scale, Real statistic, Real observed) {
  return (Real(1) - momentum) * statistic + momentum * (scale * observed);
}

}  // namespace ddlbench::kernels
