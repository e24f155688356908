#pragma once

#include <cstdint>
#include <vector>

#include "cases.h"
#include "harness.h"

namespace ddlbench::test {

/// A row-major run, and the blocks of its inputs and outputs.
struct Blocked {
  test::Run run;
  std::vector<std::int64_t> inputs, outputs;
  double terms = 1;
};

/// The same with the channels of every operand of four dimensions last.
Blocked channels_last(const Run& run, double terms);

/// Of op_cases() those of ops that take channels last, on images that have channels.
std::vector<OpCase> image_cases();

/// CHECKs that `device` makes of blocks what the reference makes of rows.
void check(kernels::Device& device, const Blocked& one);

}  // namespace ddlbench::test
