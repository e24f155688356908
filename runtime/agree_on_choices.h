#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "comm/communicator.h"
#include "kernels/choices.h"
#include "kernels/device.h"
#include "program/plan.h"

namespace ddlbench::runtime {

/// What came of it, on each rank.
struct AgreedChoices {
  std::size_t used = 0;                         ///< that the plan wanted, over all ranks
  std::size_t made = 0;                         ///< of those, by timing now
  std::size_t unfair = 0;                       ///< of those, while others had the processors: not to be kept
  std::map<std::string, std::size_t> peculiar;  ///< how many of those used are, by kernels::peculiarities
  kernels::Choices::Table own;  ///< to be kept: that this rank has timed since it was asked last, and were agreed on
};

/// Chooses the kernels of a plan, so that all ranks whose devices' choices have one context run the same candidates:
/// each distinct computation is bound, and where nothing is known yet timed, on the first of those ranks that has it,
/// ranks side by side; then all learn what was chosen. Nothing to do where the device has no choices. `progress` is
/// called now and then by rank 0. Collective.
AgreedChoices agree_on_choices(const program::Plan& plan, kernels::Device& device, comm::Communicator& world,
                               const std::function<void()>& progress = {});

}  // namespace ddlbench::runtime
