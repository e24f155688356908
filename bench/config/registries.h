#pragma once

#include <string>
#include <vector>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"
#include "workloads/model.h"

namespace ddlbench::bench {

/// What `devices/transport` can name: a transport alone, or a channel between devices beside the one that starts the
/// ranks and brings them together.
struct Carrier {
  std::string name;
  std::string help;
  std::string transport;                    ///< of comm::transports()
  std::string channel = "";                 ///< empty: the transport carries tensors, too
  std::string (*why_unusable)() = nullptr;  ///< the channel, here, in a line; empty where it can be used
};

/// The transports, and NCCL: over MPI in a build that has it, else over threads.
std::vector<Carrier> carriers();

/// What a configuration can name. Tests bring their own.
struct Registries {
  std::vector<strategies::StrategyKind> strategies;
  std::vector<workloads::ModelKind> models;
  std::vector<workloads::DatasetKind> datasets;
  std::vector<kernels::DeviceKind> devices;
  std::vector<Carrier> carriers;

  const strategies::StrategyKind& strategy(const std::string& name) const;  ///< throws InputError naming the nearest
  const Carrier& carrier(const std::string& name) const;                    ///< the same
};

/// Those of this build.
Registries real_registries();

}  // namespace ddlbench::bench
