#include "bench/statistics/student.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace ddlbench::bench {
namespace {

/// Lentz's method for the continued fraction of the incomplete beta function; converges fast for x < (a + 1) / (a + b +
/// 2).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;
  constexpr int most_terms = 10000;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m < most_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

/// Returns the regularised incomplete beta function I_x(a, b).
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double scale =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? scale * beta_fraction(x, a, b) / a : 1 - scale * beta_fraction(1 - x, b, a) / b;
}

}  // namespace

double student_two_sided(double t, double degrees) {
  require(degrees > 0, "a t distribution has degrees of freedom");
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

double student_quantile(double probability, double degrees) {
  require(probability > 0 && probability < 1, "a quantile's probability is between 0 and 1");
  if (probability == 0.5) return 0;
  const double tail = 2 * std::min(probability, 1 - probability);
  double low = 0, high = 1;
  while (student_two_sided(high, degrees) > tail) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_two_sided(middle, degrees) > tail ? low : high) = middle;
  }
  return probability < 0.5 ? -high : high;
}

double normal_probability(double z) {
  return std::erfc(-z / std::sqrt(2.0)) / 2;
}

}  // namespace ddlbench::bench
