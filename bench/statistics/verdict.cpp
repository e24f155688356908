#include "bench/statistics/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "bench/statistics/moments.h"
#include "bench/statistics/student.h"
#include "bench/statistics/two_samples.h"

namespace ddlbench::bench {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::same:
      return "same";
    case Verdict::ambiguous:
      return "ambiguous";
    case Verdict::not_comparable:
      return "not comparable";
  }
  throw ContractError("not a verdict");
}

Interval TimeComparison::ratio() const {
  return {std::exp(log_ratio.value), std::exp(log_ratio.low), std::exp(log_ratio.high)};
}

TimeComparison compare_paired(const std::vector<double>& log_ratios, std::uint64_t seed) {
  TimeComparison comparison;
  comparison.log_ratio = location(log_ratios, seed);
  if (log_ratios.size() < 2) return comparison;
  const Moments moments = moments_of(log_ratios);
  if (moments.mean == 0) return comparison;
  const double t =
      moments.standard_error > 0 ? moments.mean / moments.standard_error : std::numeric_limits<double>::infinity();
  comparison.p = student_two_sided(t, static_cast<double>(log_ratios.size()) - 1);
  return comparison;
}

TimeComparison compare_unpaired(const std::vector<double>& first, const std::vector<double>& second,
                                std::uint64_t seed) {
  return {shift(first, second, seed), welch_two_sided(first, second)};
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(p_values.size() - i);
    largest = std::max(largest, std::min(1.0, factor * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

Verdict verdict(const TimeComparison& comparison, double adjusted_p, const LogMargins& margins) {
  require(margins.claim >= 0 && margins.equality >= 0, "a margin is not negative");
  const Interval& interval = comparison.log_ratio;
  const bool significant = adjusted_p <= 1 - usual_confidence;
  if (significant && interval.low > margins.claim) return Verdict::faster;
  if (significant && interval.high < -margins.claim) return Verdict::slower;
  const bool equal = interval.low >= -margins.equality && interval.high <= margins.equality;
  return equal ? Verdict::same : Verdict::ambiguous;
}

}  // namespace ddlbench::bench
