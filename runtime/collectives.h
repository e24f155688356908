#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "program/plan.h"
#include "runtime/channels.h"

namespace ddlbench::runtime {

/// The algorithm for all equal collectives of a plan: those of the same kind, reduction, type, number of elements and
/// number of members, whichever ranks these are.
struct CollectiveChoice {
  std::string key;  ///< program::cost_key without the algorithm
  collectives::Algorithm algorithm = {};
  std::string what;  ///< "all_reduce of 61706 f32 over 2: ring (ring 0.21 ms, recursive_doubling 0.34 ms)"
};

/// Chooses an algorithm for every all_reduce, reduce_scatter and all_gather of a plan. With `wanted`, chooses that
/// algorithm, or the transport's first one (usually the ring) where it does not exist for a kind of collective.
/// Otherwise times each collective with every algorithm of the transport in turn, on the communicators that the plan
/// will use; the smallest median wins, as measured by the slowest rank. Calls `progress` after each run. All ranks
/// choose alike. Does not change the plan. Collective over all ranks of the plan. Throws InputError if the transport
/// lacks the wanted algorithm.
std::vector<CollectiveChoice> choose_collectives(const program::Plan& plan, kernels::Device& device,
                                                 const Channels& channels, std::optional<collectives::Algorithm> wanted,
                                                 const std::function<void()>& progress = {});

/// Sets the algorithms of the plan's calls, and adds descriptions to the plan's choices.
void apply(const std::vector<CollectiveChoice>& choices, program::Plan& plan);

}  // namespace ddlbench::runtime
