#include "bench/case/channels.h"

#include "bench/case/device_options.h"
#include "bench/case/placement.h"

namespace ddlbench::bench {

runtime::OwnedChannels open_channels(const Setup& setup, kernels::Device& device, comm::Communicator& communicator,
                                     std::chrono::milliseconds timeout) {
  const Devices& devices = setup.experiment.devices;
  const int ordinal = device_options(setup.experiment, communicator.rank(), 1).ordinal;
  return {device, communicator, devices.carrier(), timeout, devices.channel.empty() ? "" : device_identity(ordinal)};
}

}  // namespace ddlbench::bench
