#pragma once

#include "kernels/cuda/check.h"

namespace ddlbench::kernels::cuda {

/// Makes the GPU the one that the calling thread's CUDA calls mean: ranks are threads, and each thread has its own.
inline void make_current(int ordinal) {
  int now = -1;
  if (cudaGetDevice(&now) == cudaSuccess && now == ordinal) return;
  check(cudaSetDevice(ordinal), "taking the GPU");
}

}  // namespace ddlbench::kernels::cuda
