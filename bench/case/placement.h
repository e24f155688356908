#pragma once

#include <string>
#include <vector>

#include "bench/case/setup.h"
#include "bench/config/experiment.h"
#include "comm/communicator.h"
#include "kernels/device.h"

namespace ddlbench::bench {

/// Why so many ranks cannot run on these devices over this transport, with the remedy; empty where they can, as far as
/// this process knows: of ranks that are processes it does not know on how many machines they will be.
std::string why_unplaced(const Devices& devices, int ranks);

/// What this process's device of that ordinal is called by all that see it: "HOST GPU-6e1c…".
std::string device_identity(int ordinal);

/// The same of the device that a rank of this process is given, which is apart.
std::string device_identity(const Setup& setup, int rank);

/// One device apart from the host's cores, and the ranks of a case that compute on it.
struct PlacedDevice {
  std::string identity;           ///< as device_identity() says
  std::string name;               ///< as the device describes itself
  std::vector<int> ranks;         ///< ascending
  std::int64_t memory_bytes = 0;  ///< that can be allocated on it, as the rank knows that knows of least; 0: not known
};

/// Those of all ranks, by their first rank; none where the ranks compute on the host's cores. Collective.
/// Throws strategies::Unsupported on every rank where several ranks have one device and the channel does not take that.
std::vector<PlacedDevice> placed_devices(const Devices& devices, const std::string& identity,
                                         const kernels::Device& device, comm::Communicator& communicator);
/// The same for the device that the rank was given.
std::vector<PlacedDevice> placed_devices(const Setup& setup, const kernels::Device& device,
                                         comm::Communicator& communicator);

/// The different names, "A | B".
std::string names_of(const std::vector<PlacedDevice>& devices);

/// Whether several ranks have one device.
bool any_shared(const std::vector<PlacedDevice>& devices);

}  // namespace ddlbench::bench
