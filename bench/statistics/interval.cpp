#include "bench/statistics/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "bench/statistics/bootstrap.h"
#include "bench/statistics/moments.h"
#include "bench/statistics/pair_median.h"
#include "bench/statistics/student.h"

namespace ddlbench::bench {
namespace {

/// Returns the fraction of resamples below the lower limit. With n values a resample's variance is that of the
/// population times (n − 1) / n on average, and the normal quantile ignores that the variance is estimated; this
/// fraction corrects both.
double expanded_tail(std::size_t n, double confidence) {
  const double degrees = static_cast<double>(n) - 1;
  const double t = student_quantile((1 + confidence) / 2, degrees);
  return normal_probability(-std::sqrt(static_cast<double>(n) / degrees) * t);
}

/// Returns hodges_lehmann() of resamples, sorted.
std::vector<double> bootstrap(const std::vector<double>& values, std::uint64_t seed) {
  const auto size = static_cast<std::uint32_t>(values.size());
  const std::size_t pairs = values.size() * (values.size() + 1) / 2;
  std::vector<PairMedian::Pair> means;
  means.reserve(pairs);
  for (std::uint32_t i = 0; i < size; ++i) {
    for (std::uint32_t j = i; j < size; ++j) means.push_back({(values[i] + values[j]) / 2, i, j});
  }
  const PairMedian median(std::move(means));
  const std::uint64_t key = bootstrap_key(seed);
  std::vector<std::uint64_t> drawn(values.size());
  return resampled_estimates(pairs, [&](std::size_t resample) {
    draw(key, resample, drawn);
    return median.of(pairs, [&](std::size_t i, std::size_t j) {
      return i == j ? drawn[i] * (drawn[i] + 1) / 2 : drawn[i] * drawn[j];
    });
  });
}

}  // namespace

double hodges_lehmann(const std::vector<double>& values) {
  require(!values.empty(), "an estimate needs values");
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  return median(std::move(means));
}

Interval location(const std::vector<double>& values, std::uint64_t seed, double confidence) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double value = hodges_lehmann(values);
  if (values.size() == 1) return {value, -infinity, infinity};
  const Moments moments = moments_of(values);
  const double reach =
      student_quantile((1 + confidence) / 2, static_cast<double>(values.size()) - 1) * moments.standard_error;
  const std::vector<double> estimates = bootstrap(values, seed);
  const auto tail =
      static_cast<std::size_t>(expanded_tail(values.size(), confidence) * static_cast<double>(estimates.size()));
  return {value, std::min({value, moments.mean - reach, estimates[tail]}),
          std::max({value, moments.mean + reach, estimates[estimates.size() - 1 - tail]})};
}

}  // namespace ddlbench::bench
