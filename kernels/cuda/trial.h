#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

/// Trying candidates out on the GPU.
namespace ddlbench::kernels::cuda {

struct BoundCandidate {
  std::size_t index = 0;
  std::unique_ptr<Kernel> kernel;
  bool may_hide_nan = false;  ///< it is checked, and out if it does
};

/// What a trial asks of the runtime; tests have one of their own.
struct ErrorState {
  std::function<cudaError_t()> take_last;    ///< cudaGetLastError
  std::function<cudaError_t()> synchronize;  ///< with the stream
};

/// False where `attempt` throws DeviceError because a library or the runtime refuses a launch. Such a refusal leaves a
/// last error, for which the next launch would be blamed: it is taken away, and so is one that making candidates has
/// left. What `synchronize` then reports is no refusal, but the GPU's own failure: throws DeviceError.
bool runs(const std::function<void()>& attempt, const ErrorState& errors);

/// The index of the entrant with the shortest launch; nothing where none of them runs. Takes memory for operands and
/// workspace of its own.
std::optional<std::size_t> fastest_of(const Context& context, const Binding& binding,
                                      std::vector<BoundCandidate>& bound_candidates, std::size_t workspace_bytes);

}  // namespace ddlbench::kernels::cuda
