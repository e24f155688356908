#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/choice/choices.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

struct PlannedCandidate;  ///< kernels/cuda/choose.h

struct Dnn;   ///< cuDNN's handle and what belongs to it: kernels/cuda/dnn/handle.h
struct Blas;  ///< cuBLASLt's: kernels/cuda/blas/handle.h

/// What the kernels of one device share. Outlives them.
struct Context {
  int ordinal = 0;
  std::string gpu;                ///< "NVIDIA H200"
  cudaStream_t stream = nullptr;  ///< compute
  bool tf32 = false;
  bool deterministic = true;  ///< these two as kernels::DeviceOptions has them
  bool winograd = true;
  std::size_t most_workspace_bytes = 0;  ///< that a candidate may want
  int multiprocessors = 1;
  int compute_capability = 0;              ///< 90 for sm_90
  std::size_t shared_bytes_per_block = 0;  ///< at most, of a kernel that asks for it
  Choices* choices = nullptr;              ///< of the process: which algorithm each op runs, timed once
  std::shared_ptr<Dnn> dnn;
  std::shared_ptr<Blas> blas;
  /// Where plans are made for a GPU that need not be there: told of what autotuning would compare. Else empty.
  std::function<void(const Binding&, const std::vector<PlannedCandidate>&)> planned;
};

}  // namespace ddlbench::kernels::cuda
