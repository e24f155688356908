#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "comm/communicator.h"
#include "kernels/choice/choices.h"
#include "kernels/device.h"
#include "program/plan.h"

namespace ddlbench::runtime {

/// The result of agree_on_choices, on each rank.
struct AgreedChoices {
  std::size_t used = 0;  ///< choices that the plan uses, over all ranks
  std::size_t made = 0;  ///< choices made by timing during this call
  /// Those of `made` that were timed while other processes used the processors; not to be kept.
  std::size_t unreliable = 0;
  std::map<std::string, std::size_t> numerical_properties;  ///< number of used choices by kernels::numerical_properties
  /// Choices to keep: those that this rank has timed since the last query and that all ranks agreed on.
  kernels::Choices::Table own;
};

/// Chooses the kernels of a plan such that all ranks whose devices have the same context of choices run the same
/// candidates. Each distinct computation is bound on the lowest of these ranks that has it, and timed there if its
/// choice is unknown; ranks do this in parallel. Then all ranks learn what was chosen. Does nothing if the device has
/// no choices. Rank 0 calls `progress` from time to time. Collective.
AgreedChoices agree_on_choices(const program::Plan& plan, kernels::Device& device, comm::Communicator& world,
                               const std::function<void()>& progress = {});

}  // namespace ddlbench::runtime
