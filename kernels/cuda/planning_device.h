#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/choose.h"
#include "kernels/cuda/known_gpus.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Called for each choice, with what is computed and the candidates that would take part in autotuning, in the order of
/// the heuristics.
using OnPlanned = std::function<void(const Binding&, const std::vector<PlannedCandidate>&)>;

/// Makes a device that makes the libraries' plans for a GPU that need not be present, takes the first choice of the
/// heuristics, and launches nothing. cuBLASLt cannot be queried without a GPU, so the candidates of a matrix product
/// state the query. 16-bit attention is rejected: planning compiles it and then loads it, which needs the GPU. If there
/// is no driver, loads the toolkit's stub of the driver for cuDNN. Throws DnnError or DeviceError.
std::unique_ptr<Device> make_planning_device(const KnownGpu& gpu, const DeviceOptions& options, OnPlanned on_planned);

/// Makes cuDNN's target of plans as that device uses it.
std::shared_ptr<Dnn> make_planner(const KnownGpu& gpu);

}  // namespace ddlbench::kernels::cuda
