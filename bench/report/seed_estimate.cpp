#include "bench/report/seed_estimate.h"

#include <cmath>

namespace ddlbench::bench {

Interval estimate_over_seeds(const std::vector<double>& values) {
  return location(values, seed_resampling);
}

Interval exponential(const Interval& of) {
  return {std::exp(of.value), std::exp(of.low), std::exp(of.high)};
}

}  // namespace ddlbench::bench
