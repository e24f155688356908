#pragma once

#include <cmath>

#include "graph/host_device.h"

namespace ddlbench::kernels {

/// Returns the factor that makes a column of P a column of P̂, after the earlier columns have been subtracted from it:
/// one over its norm, or 0 where hardly anything is left, or NaN where it had infinity or NaN. The arguments are the
/// squares of its norm before and after the subtraction.
DDLBENCH_HOST_DEVICE inline double column_scale(double before, double after) {
  constexpr double share = 0x1p-24;  // of the square of the norm: 2⁻¹² of the norm
  constexpr double largest = 0x1p1000;
  if (!(before <= largest)) return before - before;
  return after <= share * before ? 0.0 : 1.0 / std::sqrt(after);
}

}  // namespace ddlbench::kernels
