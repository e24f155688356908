#pragma once

#include <string>
#include <vector>

#include "harness.h"

namespace ddlbench::test {

/// An op on inputs drawn at random, with what is needed to bound the error of a device that sums in f32.
struct OpCase {
  std::string name;
  Run run;
  double terms = 1;  ///< of the longest sum
};

/// Every op that devices compute, on shapes that are awkward: batch 1, 1 × 1 images, odd channels, stride 2,
/// padding, uneven parts, sizes of 0, with and without bias, activation, accumulation.
std::vector<OpCase> op_cases();

}  // namespace ddlbench::test
