#include "kernels/gpu_info.h"

#include "kernels/cuda/device.h"

namespace ddlbench::kernels {

CudaInfo describe_cuda() {
  CudaInfo info;
  info.why_unusable = cuda::count_devices().why_none;
  return info;
}

}  // namespace ddlbench::kernels
