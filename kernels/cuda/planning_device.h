#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/choose.h"
#include "kernels/cuda/known_gpus.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Told of each choice: what is computed, and the candidates that autotuning would compare, heuristics' first
/// first.
using OnPlanned = std::function<void(const Binding&, const std::vector<PlannedCandidate>&)>;

/// A device that makes its libraries' plans for a GPU that need not be there, takes what the heuristics name first, and
/// launches nothing. cuBLASLt cannot be asked without a GPU: the candidates of a matrix product say how it would be
/// asked. Attention of 16-bit numbers is compiled when it is planned, and then loaded, which needs the GPU:
/// it is refused. Lends cuDNN the toolkit's stand-in for the driver where there is no driver. Throws DeviceError.
std::unique_ptr<Device> make_planning_device(const KnownGpu& gpu, const DeviceOptions& options, OnPlanned told);

/// cuDNN as that device asks it.
std::shared_ptr<Dnn> make_planner(const KnownGpu& gpu);

}  // namespace ddlbench::kernels::cuda
