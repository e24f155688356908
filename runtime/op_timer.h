#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "program/program.h"

namespace ddlbench::runtime {

/// Computations with their keys, in program order. Several have the same key if they differ only in where their tensors
/// lie.
using Computations = std::vector<std::pair<std::string, const program::Compute*>>;

/// A size that exceeds the caches of most processors and GPUs, in bytes.
inline constexpr std::int64_t beyond_caches = 128 << 20;

/// Returns times in picoseconds by key, measured on memory laid out like the program's: views of one buffer share
/// memory. Computations that do not fit in `most_bytes` together are timed in parts of consecutive ones; a single one
/// may exceed the limit. All computations of a part run in order, in rounds; if all have the same key, a round runs
/// only the next one. There are 12 to 50 rounds, until the time per key reaches `seconds_per_op` on average, but fewer
/// (at least 2) if that takes more than a second. The result is the lower quartile for each key, so that disturbances
/// of fewer than three in four runs do not count. On an asynchronous device a time is the difference of two events and
/// excludes the launch.
std::map<std::string, std::int64_t> time_computations(
    const Computations& computations, kernels::Device& device, double seconds_per_op,
    std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());

/// Returns the value at the first quartile of unordered `values`, or 0 if there are none.
std::int64_t lower_quartile(std::vector<std::int64_t> values);

}  // namespace ddlbench::runtime
