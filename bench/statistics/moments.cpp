#include "bench/statistics/moments.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace ddlbench::bench {

Moments moments_of(const std::vector<double>& values) {
  require(!values.empty(), "moments need values");
  const auto n = static_cast<double>(values.size());
  Moments moments;
  moments.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  if (n > 1) moments.standard_error = std::sqrt(squares / (n - 1) / n);
  return moments;
}

double median(std::vector<double> values) {
  require(!values.empty(), "a median needs values");
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*upper + *std::max_element(values.begin(), upper)) / 2;
}

}  // namespace ddlbench::bench
