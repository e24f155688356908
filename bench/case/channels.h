#pragma once

#include <chrono>

#include "bench/case/setup.h"
#include "runtime/channels.h"

namespace ddlbench::bench {

/// The channels of a rank whose tensors go as the experiment says. Collective.
runtime::OwnedChannels open_channels(const Setup& setup, kernels::Device& device, comm::Communicator& communicator,
                                     std::chrono::milliseconds timeout);

}  // namespace ddlbench::bench
