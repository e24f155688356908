#include "kernels/gpu_info.h"

namespace ddlbench::kernels {

const std::vector<GpuInfo>& cached_gpus() {
  static const std::vector<GpuInfo> gpus = describe_cuda().gpus;
  return gpus;
}

}  // namespace ddlbench::kernels
