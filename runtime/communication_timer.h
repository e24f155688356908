#pragma once

#include <cstdint>

#include "kernels/device.h"
#include "program/plan.h"
#include "runtime/channels.h"
#include "runtime/groups.h"

namespace ddlbench::runtime {

/// Returns the time in picoseconds from the moment when the last member of `group` has started a collective until it is
/// complete; the same on all members. Each member is busy for a while before it starts the collective, as in a step.
/// Collective over the group only; all members must pass the same `runs`. On a stream, operations are timed by events.
std::int64_t time_collective(const program::CollectiveCall& call, const Channels& group, kernels::Device& device,
                             int runs);

struct LinkTimes {
  std::int64_t latency = 0;  ///< picoseconds for an empty message, or for one byte on a stream
  std::int64_t large = 0;    ///< picoseconds for a message of `bytes`
  std::int64_t start = 0;    ///< picoseconds to start a message
};

/// Times messages between ranks 0 and 1; only these two call it, and the results of rank 0 count. Each rank is busy for
/// a while before it sends, so that a time includes waking a rank that has waited for long.
LinkTimes time_link(const Channels& world, kernels::Device& device, std::int64_t bytes);

}  // namespace ddlbench::runtime
