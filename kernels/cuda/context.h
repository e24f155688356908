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
struct Blas;  ///< cuBLASLt's handle: kernels/cuda/blas/handle.h

/// State that the kernels of one device share. It must outlive them.
struct Context {
  int ordinal = 0;
  std::string gpu;                ///< "NVIDIA H200"
  cudaStream_t stream = nullptr;  ///< the compute stream
  bool tf32 = false;
  bool deterministic = true;  ///< this and `winograd` as in kernels::DeviceOptions
  bool winograd = true;
  std::size_t max_workspace_bytes = 0;  ///< limit for a candidate
  int multiprocessors = 1;
  int compute_capability = 0;              ///< 90 for sm_90
  std::size_t shared_bytes_per_block = 0;  ///< the maximum that a kernel can request
  Choices* choices = nullptr;              ///< of the process: which algorithm each op runs
  std::shared_ptr<Dnn> dnn;
  std::shared_ptr<Blas> blas;
  /// Called with the candidates that would take part in autotuning, if plans are made for a GPU that need not be
  /// present. Otherwise empty.
  std::function<void(const Binding&, const std::vector<PlannedCandidate>&)> planned;
};

}  // namespace ddlbench::kernels::cuda
