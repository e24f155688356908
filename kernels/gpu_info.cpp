#include "kernels/gpu_info.h"

namespace ddlbench::kernels {

const std::vector<GpuInfo>& seen_gpus() {
  static const std::vector<GpuInfo> gpus = describe_cuda().gpus;
  return gpus;
}

}  // namespace ddlbench::kernels
