#pragma once

#include <algorithm>
#include <limits>

#include "processor_time.h"

namespace ddlbench::test {

/// Returns the processor time of `work(4 * size)` relative to that of `work(size)`, each the minimum of three runs:
/// about 4 for linear work, 16 for quadratic work.
template <class Work>
double growth(int size, Work&& work) {
  const auto least_seconds = [&work](int n) {
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
      const ProcessorTime time;
      work(n);
      least = std::min(least, time.seconds());
    }
    return least;
  };
  const double small = least_seconds(size);
  return least_seconds(4 * size) / small;
}

/// A threshold between linear and quadratic growth, far enough from both for a busy machine.
inline constexpr double most_linear_growth = 8;

}  // namespace ddlbench::test
