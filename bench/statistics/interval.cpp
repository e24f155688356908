#include "bench/statistics/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "bench/statistics/moments.h"
#include "bench/statistics/student.h"
#include "graph/random.h"

namespace ddlbench::bench {
namespace {

/// Of an even number of values, the mean of the two in the middle.
double median(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*upper + *std::max_element(values.begin(), upper)) / 2;
}

/// Returns the fraction of resamples below the lower limit. With n values a resample's variance is that of the
/// population times (n − 1) / n on average, and the normal quantile ignores that the variance is estimated; this
/// fraction corrects both.
double expanded_tail(std::size_t n, double confidence) {
  const double degrees = static_cast<double>(n) - 1;
  const double t = student_quantile((1 + confidence) / 2, degrees);
  return normal_probability(-std::sqrt(static_cast<double>(n) / degrees) * t);
}

/// Returns the estimates of resamples, sorted.
std::vector<double> bootstrap(const std::vector<double>& values, std::uint64_t seed) {
  constexpr std::size_t most = 2000, fewest = 200, most_pairs = 20'000'000;
  const std::size_t pairs = values.size() * (values.size() + 1) / 2;
  std::vector<double> estimates(std::clamp(most_pairs / pairs, fewest, most));
  const std::uint64_t key = graph::random_key(seed, graph::Purpose::shuffle, "bootstrap");
  std::vector<double> drawn(values.size());
  for (std::size_t r = 0; r < estimates.size(); ++r) {
    for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] = values[graph::philox(key, r, i).v[0] % values.size()];
    estimates[r] = hodges_lehmann(drawn);
  }
  std::sort(estimates.begin(), estimates.end());
  return estimates;
}

}  // namespace

double hodges_lehmann(const std::vector<double>& values) {
  require(!values.empty(), "an estimate needs values");
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  return median(means);
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
