#pragma once

#include <string>
#include <vector>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"
#include "workloads/model.h"

namespace ddlbench::bench {

/// A value of `devices/transport`: a transport alone, or a channel between devices together with the transport that
/// starts and connects the ranks.
struct TransportChoice {
  std::string name;
  std::string help;
  std::string transport;                    ///< a name from comm::transports()
  std::string channel = "";                 ///< empty: the transport carries tensors, too
  std::string (*why_unusable)() = nullptr;  ///< why the channel cannot be used here, in one line; empty if it can
};

/// Returns the transports and NCCL, which runs over MPI if the build has it, otherwise over threads.
std::vector<TransportChoice> transport_choices();

/// Everything that a configuration can name. Tests supply their own.
struct Registries {
  std::vector<strategies::StrategyKind> strategies;
  std::vector<workloads::ModelKind> models;
  std::vector<workloads::DatasetKind> datasets;
  std::vector<kernels::DeviceKind> devices;
  std::vector<TransportChoice> transport_choices;

  const strategies::StrategyKind& strategy(const std::string& name) const;  ///< throws InputError that suggests the
                                                                            ///< nearest name
  const TransportChoice& transport_choice(const std::string& name) const;   ///< likewise
};

/// Returns the registries of this build.
Registries real_registries();

}  // namespace ddlbench::bench
