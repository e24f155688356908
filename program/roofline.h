#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

/// A lower bound on the time of a step on a device, by the roofline model (Williams, Waterman & Patterson 2009,
/// doi:10.1145/1498765.1498785): an op takes the longer of its FLOPs at the peak rate and its operands' bytes at the
/// memory bandwidth.
namespace ddlbench::program {

struct Roof {
  double flops_per_second = 0;
  double bytes_per_second = 0;
};

/// All launches of one kind of op in a step.
struct OpWork {
  std::string kind;  ///< "conv2d_backward_input", "copy", …
  std::int64_t launches = 0;
  double flops = 0;
  double bytes = 0;           ///< read and written
  double least_seconds = 0;   ///< sum over launches
  double memory_seconds = 0;  ///< the share of `least_seconds` in memory-bound launches
};

/// Returns the work of a program's body by kind of op, the kind with the longest time first. Each operand is read or
/// written once as a whole, unless the op looks up rows in it. Nothing stays in caches between ops. Communication is
/// excluded.
std::vector<OpWork> work_of_step(const Program& program, const Roof& roof);

/// Returns the sum, with kind "total".
OpWork total_of(const std::vector<OpWork>& work);

}  // namespace ddlbench::program
