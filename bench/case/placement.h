#pragma once

#include <string>
#include <vector>

#include "bench/case/setup.h"
#include "bench/config/experiment.h"
#include "comm/communicator.h"
#include "kernels/device.h"

namespace ddlbench::bench {

/// Returns why `ranks` ranks cannot run on these devices over this transport, with the remedy; empty if they can, as
/// far as this process knows: where ranks are processes, it does not know how many machines they will run on.
std::string why_unplaced(const Devices& devices, int ranks);

/// Returns the identity of this process's device `ordinal`, the same in all processes that see it: "HOST GPU-6e1c…".
std::string device_identity(int ordinal);

/// Returns the identity of the device that a rank of this process is given. The device has memory of its own.
std::string device_identity(const Setup& setup, int rank);

/// A device with memory of its own, and the ranks of a case that compute on it.
struct PlacedDevice {
  std::string identity;           ///< see device_identity()
  std::string name;               ///< the device's description of itself
  std::vector<int> ranks;         ///< ascending
  std::int64_t memory_bytes = 0;  ///< allocatable bytes: the smallest value that one of its ranks reports; 0: unknown
};

/// Returns the devices of all ranks, in the order of their first rank; empty where the ranks compute on the host's
/// cores. Throws strategies::Unsupported on every rank if several ranks share a device and the channel does not support
/// that. Collective.
std::vector<PlacedDevice> placed_devices(const Devices& devices, const std::string& identity,
                                         const kernels::Device& device, comm::Communicator& communicator);
/// Does the same for the device that the rank was given.
std::vector<PlacedDevice> placed_devices(const Setup& setup, const kernels::Device& device,
                                         comm::Communicator& communicator);

/// Returns the distinct names, "A | B".
std::string names_of(const std::vector<PlacedDevice>& devices);

/// Returns whether several ranks share a device.
bool any_shared(const std::vector<PlacedDevice>& devices);

}  // namespace ddlbench::bench
