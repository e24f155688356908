#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ddlbench::bench {

/// Returns the number of steps that a visit times so that they take at least `seconds`: from three to 100,000.
inline std::int64_t visit_steps(double seconds, double step_seconds) {
  constexpr double fewest = 3, most = 100'000;
  return static_cast<std::int64_t>(std::clamp(std::ceil(seconds / step_seconds), fewest, most));
}

}  // namespace ddlbench::bench
