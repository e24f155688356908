#pragma once

#include <cstdint>
#include <vector>

namespace ddlbench::bench {

/// The mean of the middle half of some values, and where it lies with 95 % confidence.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::vector<std::size_t> used;  ///< indices of the middle half
};

/// The interquartile mean: of n values in order those from n/4 to n − n/4. The interval is the bootstrap's
/// (Efron & Tibshirani, percentile method) of the same estimator over 1000 resamples drawn from Philox, so
/// that equal values give equal intervals. Throws ContractError of no values.
Estimate interquartile_mean(const std::vector<double>& values, std::uint64_t seed);

}  // namespace ddlbench::bench
