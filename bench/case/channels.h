#pragma once

#include <chrono>

#include "bench/case/setup.h"
#include "runtime/channels.h"

namespace ddlbench::bench {

/// Opens the rank's channels over the carrier that the experiment chooses. Collective.
runtime::OwnedChannels open_channels(const Setup& setup, kernels::Device& device, comm::Communicator& communicator,
                                     std::chrono::milliseconds timeout);

}  // namespace ddlbench::bench
