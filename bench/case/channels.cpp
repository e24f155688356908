#include "bench/case/channels.h"

#include <iostream>

#include "bench/case/placement.h"
#include "comm/mpi/mpi.h"

namespace ddlbench::bench {

runtime::OwnedChannels open_channels(const Setup& setup, kernels::Device& device, comm::Communicator& communicator,
                                     std::chrono::milliseconds timeout) {
  const Devices& devices = setup.experiment.devices;
  if (devices.derived.is_accelerator && devices.transport_choice() == "mpi" && communicator.rank() == 0) {
    std::clog << "tensors are staged through pinned memory; MPI itself "
              << (comm::mpi::takes_device_memory() ? "would accept" : "does not accept") << " GPU buffers" << std::endl;
  }
  return {device, communicator, devices.transport_choice(), timeout,
          devices.derived.channel.empty() ? "" : device_identity(setup, communicator.rank())};
}

}  // namespace ddlbench::bench
