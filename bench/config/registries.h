#pragma once

#include <string>
#include <vector>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"
#include "workloads/model.h"

namespace ddlbench::bench {

/// What a configuration can name. Tests bring their own.
struct Registries {
  std::vector<strategies::StrategyKind> strategies;
  std::vector<workloads::ModelKind> models;
  std::vector<workloads::DatasetKind> datasets;
  std::vector<kernels::DeviceKind> devices;
  std::vector<comm::Transport> transports;

  const strategies::StrategyKind& strategy(const std::string& name) const;  ///< throws InputError naming the nearest
};

/// Those of this build.
Registries real_registries();

}  // namespace ddlbench::bench
