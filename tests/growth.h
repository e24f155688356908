#pragma once

#include <algorithm>
#include <limits>

#include "processor_time.h"

namespace ddlbench::test {

/// How many times as much processor time `work(4 * size)` takes as `work(size)`, the least of three tries each: about 4
/// of what is linear, 16 of what is quadratic.
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

/// Between the two, and far enough from either for a busy machine.
inline constexpr double most_linear_growth = 8;

}  // namespace ddlbench::test
