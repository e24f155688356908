#pragma once

#include "kernels/cuda/check.h"

namespace ddlbench::kernels::cuda {

/// Makes the GPU current for the calling thread. Ranks are threads, and each thread has its own current GPU.
inline void make_current(int ordinal) {
  int now = -1;
  if (cudaGetDevice(&now) == cudaSuccess && now == ordinal) return;
  check(cudaSetDevice(ordinal), "selecting the GPU");
}

}  // namespace ddlbench::kernels::cuda
