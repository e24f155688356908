#pragma once

#include <cstdint>
#include <vector>

namespace ddlbench::bench {

/// An interquartile mean and its 95 % confidence interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::vector<std::size_t> used;  ///< indices of the values in the middle half
};

/// Returns the interquartile mean: the mean of the sorted values n/4 to n − n/4. The interval comes from the bootstrap
/// (Efron & Tibshirani, percentile method) of the same estimator over up to 1000 resamples, fewer for very many values.
/// The resamples are drawn from Philox, so equal values give equal intervals. Throws ContractError if `values` is
/// empty.
Estimate interquartile_mean(const std::vector<double>& values, std::uint64_t seed);

}  // namespace ddlbench::bench
