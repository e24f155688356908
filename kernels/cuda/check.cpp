#include "kernels/cuda/check.h"

#include <fmt/core.h>
#include <new>
#include <string>

namespace ddlbench::kernels::cuda {

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // clears it; otherwise the next launch would report it
  if (code == cudaErrorMemoryAllocation) throw std::bad_alloc();
  throw DeviceError(fmt::format("{}: {} ({})", what, cudaGetErrorString(code), cudaGetErrorName(code)));
}

}  // namespace ddlbench::kernels::cuda
