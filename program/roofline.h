#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

/// The least time of a step on a device, by the roofline model (Williams, Waterman & Patterson 2009,
/// doi:10.1145/1498765.1498785): an op takes as long as its FLOPs at the peak rate or the bytes of its operands at the
/// memory's rate, whichever is longer.
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
  double least_seconds = 0;   ///< the sum over launches
  double memory_seconds = 0;  ///< of those, what launches take that the memory bounds
};

/// Of the body of a program, the kind with the longest time first. Each operand is read or written once, whole, unless
/// the op looks rows up in it; nothing stays in caches between ops. Communication is not in it.
std::vector<OpWork> work_of_step(const Program& program, const Roof& roof);

/// Of kind "total".
OpWork total_of(const std::vector<OpWork>& work);

}  // namespace ddlbench::program
