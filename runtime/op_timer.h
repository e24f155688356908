#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "program/program.h"

namespace ddlbench::runtime {

/// One distinct work and an instruction that is it.
using Computations = std::vector<std::pair<std::string, const program::Compute*>>;

/// Picoseconds by key. Runs all, in their order, in rounds: 3 to `most_rounds`, as long as each has taken
/// `seconds_per_op` in the mean.
std::map<std::string, std::int64_t> time_computations(const Computations& computations, kernels::Device& device,
                                                      double seconds_per_op);

/// Of values in any order; of an even number the lower one. 0 of none.
std::int64_t median(std::vector<std::int64_t> values);

}  // namespace ddlbench::runtime
