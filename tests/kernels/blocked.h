#pragma once

#include <cstdint>
#include <vector>

#include "cases.h"
#include "harness.h"

namespace ddlbench::test {

/// A row-major run, and the channel blocks of its inputs and outputs.
struct Blocked {
  test::Run run;
  std::vector<std::int64_t> inputs, outputs;
  double terms = 1;
};

/// Returns the same run with every four-dimensional operand channels-last.
Blocked channels_last(const Run& run, double terms);

/// Returns those of op_cases() whose op supports channels-last, on images that have channels.
std::vector<OpCase> image_cases();

/// CHECKs that `device` computes with channel blocks what the reference computes row-major.
void check(kernels::Device& device, const Blocked& one);

}  // namespace ddlbench::test
