#pragma once

#include <cstdint>
#include <vector>

namespace ddlbench::bench {

/// An estimate and its confidence limits.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;

  double half_width() const { return (high - low) / 2; }
  bool operator==(const Interval&) const = default;
};

inline constexpr double usual_confidence = 0.95;

/// Returns the median of the means of all pairs of values, each value also paired with itself (Hodges & Lehmann 1963).
/// An outlier hardly affects it. Throws ContractError if `values` is empty.
double hodges_lehmann(const std::vector<double>& values);

/// Returns the Hodges–Lehmann estimate of independent values with the wider of two confidence intervals on each side:
/// Student's t interval of their mean, which is exact for few normal values, and the bootstrap interval of the
/// estimate, expanded for small samples (Hesterberg 2015, "What Teachers Should Know About the Bootstrap",
/// section 5.2). `seed` determines the resamples. The limits of a single value are −∞ and ∞. Throws ContractError if
/// `values` is empty.
Interval location(const std::vector<double>& values, std::uint64_t seed, double confidence = usual_confidence);

}  // namespace ddlbench::bench
