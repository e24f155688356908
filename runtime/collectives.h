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

/// The algorithm of all equal collectives of a plan: of the same kind, reduction, type, number of elements and of
/// members, whichever ranks these are.
struct CollectiveChoice {
  std::string key;  ///< program::cost_key without the algorithm
  collectives::Algorithm algorithm = {};
  std::string what;  ///< "all_reduce of 61706 f32 over 2: ring (ring 0.21 ms, recursive_doubling 0.34 ms)"
};

/// Chooses for every all_reduce, reduce_scatter and all_gather of a plan. With `wanted`: that algorithm, but the
/// transport's first, mostly the ring, where the kind has no such one. Without: each is timed with every algorithm of
/// the transport, by turns, on the communicators that the plan will use; the least median wins, as the slowest rank saw
/// it. `progress` is called after each. All ranks choose alike. Collective over all ranks of the plan, and reads it
/// alone. Throws InputError where the transport has not what is wanted.
std::vector<CollectiveChoice> choose_collectives(const program::Plan& plan, kernels::Device& device,
                                                 const Channels& channels, std::optional<collectives::Algorithm> wanted,
                                                 const std::function<void()>& progress = {});

/// Writes them into the plan's calls, and what they say into its choices.
void apply(const std::vector<CollectiveChoice>& choices, program::Plan& plan);

}  // namespace ddlbench::runtime
