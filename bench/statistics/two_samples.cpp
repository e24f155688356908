#include "bench/statistics/two_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bench/statistics/bootstrap.h"
#include "bench/statistics/moments.h"
#include "bench/statistics/pair_median.h"
#include "bench/statistics/student.h"

namespace ddlbench::bench {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Welch's estimate of the difference of two means.
struct MeanDifference {
  double value = 0;
  double standard_error = 0;
  double degrees = 1;     ///< of freedom, by Satterthwaite
  double narrowness = 1;  ///< deviation of resamples / standard error: n values vary by (n − 1) / n of the variance
};

MeanDifference difference_of(const std::vector<double>& from, const std::vector<double>& to) {
  const Moments a = moments_of(from), b = moments_of(to);
  const auto square = [](double v) { return v * v; };
  const double variance_a = square(a.standard_error), variance_b = square(b.standard_error);
  const double free_a = static_cast<double>(from.size()) - 1, free_b = static_cast<double>(to.size()) - 1;
  MeanDifference result{b.mean - a.mean, std::sqrt(variance_a + variance_b)};
  const double variance = variance_a + variance_b;
  if (variance == 0) {
    result.degrees = free_a + free_b;
    return result;
  }
  result.degrees = square(variance) / (square(variance_a) / free_a + square(variance_b) / free_b);
  result.narrowness = std::sqrt((variance_a * free_a / (free_a + 1) + variance_b * free_b / (free_b + 1)) / variance);
  return result;
}

/// Returns hodges_lehmann_shift() of resamples, sorted.
std::vector<double> bootstrap_shifts(const std::vector<double>& from, const std::vector<double>& to,
                                     std::uint64_t seed) {
  const std::size_t pairs = from.size() * to.size();
  std::vector<PairMedian::Pair> differences;
  differences.reserve(pairs);
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    for (std::uint32_t j = 0; j < to.size(); ++j) differences.push_back({to[j] - from[i], i, j});
  }
  const PairMedian median(std::move(differences));
  const std::uint64_t from_key = bootstrap_key(seed), to_key = bootstrap_key(seed, "bootstrap of the other sample");
  std::vector<std::uint64_t> from_drawn(from.size()), to_drawn(to.size());
  return resampled_estimates(pairs, [&](std::size_t resample) {
    draw(from_key, resample, from_drawn);
    draw(to_key, resample, to_drawn);
    return median.of(pairs, [&](std::size_t i, std::size_t j) { return from_drawn[i] * to_drawn[j]; });
  });
}

bool have_spread(const std::vector<double>& from, const std::vector<double>& to) {
  return from.size() > 1 && to.size() > 1;
}

}  // namespace

double hodges_lehmann_shift(const std::vector<double>& from, const std::vector<double>& to) {
  std::vector<double> differences;
  differences.reserve(from.size() * to.size());
  for (const double before : from) {
    for (const double after : to) differences.push_back(after - before);
  }
  return median(std::move(differences));
}

Interval shift(const std::vector<double>& from, const std::vector<double>& to, std::uint64_t seed, double confidence) {
  const double value = hodges_lehmann_shift(from, to);
  if (!have_spread(from, to)) return {value, -infinity, infinity};
  const MeanDifference means = difference_of(from, to);
  const double t = student_quantile((1 + confidence) / 2, means.degrees);
  const std::vector<double> shifts = bootstrap_shifts(from, to, seed);
  const auto tail =
      static_cast<std::size_t>(normal_probability(-t / means.narrowness) * static_cast<double>(shifts.size()));
  return {value, std::min({value, means.value - t * means.standard_error, shifts[tail]}),
          std::max({value, means.value + t * means.standard_error, shifts[shifts.size() - 1 - tail]})};
}

double welch_two_sided(const std::vector<double>& from, const std::vector<double>& to) {
  if (moments_of(from).mean == moments_of(to).mean || !have_spread(from, to)) return 1;
  const MeanDifference means = difference_of(from, to);
  return student_two_sided(means.standard_error > 0 ? means.value / means.standard_error : infinity, means.degrees);
}

}  // namespace ddlbench::bench
