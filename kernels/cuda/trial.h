#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/choice/choices.h"
#include "kernels/cuda/context.h"
#include "kernels/device.h"

/// Trials of candidates on the GPU.
namespace ddlbench::kernels::cuda {

struct BoundCandidate {
  std::size_t index = 0;
  std::string name;
  std::unique_ptr<Kernel> kernel;
  bool may_hide_nan = false;         ///< tested, and excluded if it does
  std::int64_t written_columns = 0;  ///< of output 0, from ProductOp
};

struct Fastest {
  std::size_t index = 0;                   ///< of the BoundCandidate
  std::vector<Choices::Timed> timed = {};  ///< all that ran; empty if there was only one
};

/// The functions of the CUDA runtime that a trial uses; tests have their own.
struct ErrorState {
  std::function<cudaError_t()> take_last;    ///< cudaGetLastError
  std::function<cudaError_t()> synchronize;  ///< waits for the stream
};

/// Runs `attempt`. Returns false if it throws DeviceError because a library or the runtime rejects a launch. A rejected
/// launch leaves a last error, which the next launch would report, so the error is cleared, and so is one that making
/// candidates has left. If `synchronize` then reports an error, the GPU itself has failed: throws DeviceError. Passes
/// on all other exceptions of `attempt`.
bool runs(const std::function<void()>& attempt, const ErrorState& errors);

/// Returns the candidate with the shortest launch, or nothing if none runs. Removes candidates that do not qualify from
/// the list. Allocates memory for operands and workspace. Throws DeviceError, with the op and the candidate, if the GPU
/// fails.
std::optional<Fastest> fastest_of(const Context& context, const Binding& binding,
                                  std::vector<BoundCandidate>& bound_candidates, std::size_t workspace_bytes);

}  // namespace ddlbench::kernels::cuda
