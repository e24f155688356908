#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/choices.h"

namespace ddlbench::kernels::cuda {

struct Dnn;   ///< cuDNN's handle and what belongs to it: kernels/cuda/dnn/handle.h
struct Blas;  ///< cuBLASLt's: kernels/cuda/blas/handle.h

/// What the kernels of one device share. Outlives them.
struct Context {
  int ordinal = 0;
  std::string gpu;                ///< "NVIDIA H200"
  cudaStream_t stream = nullptr;  ///< compute
  bool tf32 = false;
  int multiprocessors = 1;
  int compute_capability = 0;  ///< 90 for sm_90
  Choices* choices = nullptr;  ///< of the process: which algorithm each op runs, timed once
  std::shared_ptr<Dnn> dnn;
  std::shared_ptr<Blas> blas;
};

}  // namespace ddlbench::kernels::cuda
