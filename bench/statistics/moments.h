#pragma once

#include <vector>

namespace ddlbench::bench {

struct Moments {
  double mean = 0;
  double standard_error = 0;  ///< of the mean: the sample's deviation / √n; 0 for one value
};

/// Throw ContractError if `values` is empty.
Moments moments_of(const std::vector<double>& values);
/// Of an even number of values, the mean of the two in the middle.
double median(std::vector<double> values);

}  // namespace ddlbench::bench
