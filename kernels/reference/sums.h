#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/operands.h"

namespace ddlbench::kernels::reference {

/// Returns the workspace in bytes for `count` sums in f64.
constexpr std::size_t sums_bytes(std::int64_t count) {
  return static_cast<std::size_t>(count) * sizeof(double);
}

/// Returns `count` sums in the workspace of the launch, set to zero.
inline std::span<double> sums(const Arguments& arguments, std::int64_t count) {
  auto* first = static_cast<double*>(arguments.workspace);
  std::fill_n(first, count, 0.0);
  return {first, static_cast<std::size_t>(count)};
}

inline void write_all(float* target, std::span<const double> values, bool accumulate) {
  for (std::size_t i = 0; i < values.size(); ++i) write(target[i], values[i], accumulate);
}

}  // namespace ddlbench::kernels::reference
