#pragma once

#include <cstdint>

#include "kernels/device.h"
#include "program/plan.h"
#include "runtime/channels.h"
#include "runtime/groups.h"

namespace ddlbench::runtime {

/// Picoseconds from when the last member of `group` has started a collective to its completion, the same on all.
/// Each is busy for a while before it starts one, as in a step. Collective over the group alone: all its members
/// say the same `runs`. Operations of a stream are timed by marks in it.
std::int64_t time_collective(const program::CollectiveCall& call, const Channels& group, kernels::Device& device,
                             int runs);

struct LinkTimes {
  std::int64_t latency = 0;  ///< picoseconds of an empty message, or of one byte
  std::int64_t large = 0;    ///< picoseconds of one of `bytes`
  std::int64_t start = 0;    ///< picoseconds to start one
};

/// Between ranks 0 and 1; called by both alone, and rank 0's are the times. Each rank is busy for a while before it
/// sends, so that a time has in it what it takes to wake a rank that has waited for long.
LinkTimes time_link(const Channels& world, kernels::Device& device, std::int64_t bytes);

}  // namespace ddlbench::runtime
