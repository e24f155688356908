#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "program/program.h"

namespace ddlbench::runtime {

/// Works by key, in the order of their program; several have one key where they differ in nothing but where
/// their tensors lie.
using Computations = std::vector<std::pair<std::string, const program::Compute*>>;

/// Bytes that the caches of most processors and GPUs do not hold.
inline constexpr std::int64_t beyond_caches = 128 << 20;

/// Picoseconds by key, on memory like the program's: views of one buffer share it. What does not fit `most_bytes` at
/// once is timed in parts, of works that follow each other; one work alone may exceed them. Runs all works of a part,
/// in their order, in rounds, where all have one key only the next of them: 12 to 50, until they have taken
/// `seconds_per_op` in the mean of keys, and fewer, but 2, where that takes more than a second. Each key's lower
/// quartile: what a neighbour on the machine adds to fewer than three runs of four does not count. On an asynchronous
/// device a time is the one between two marks, without what it takes to launch.
std::map<std::string, std::int64_t> time_computations(
    const Computations& computations, kernels::Device& device, double seconds_per_op,
    std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());

/// Of values in any order, the one at a quarter. 0 of none.
std::int64_t lower_quartile(std::vector<std::int64_t> values);

}  // namespace ddlbench::runtime
