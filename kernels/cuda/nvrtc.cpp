#include "kernels/cuda/nvrtc.h"

#include <fmt/core.h>

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.h"

namespace ddlbench::kernels::cuda {

Nvrtc::Nvrtc(const std::string& file) : file_(file) {
  if (!file_.why_not().empty()) {
    throw DeviceError("NVRTC, with which cuDNN compiles, cannot be loaded: " + file_.why_not() +
                      "; add its folder to LD_LIBRARY_PATH, or rebuild ddlbench on this machine");
  }
  file_.find(version, "nvrtcVersion");
  if (version == nullptr) throw DeviceError(file + " is not NVRTC: it lacks nvrtcVersion");
}

const Nvrtc& nvrtc() {
  static const Nvrtc& loaded = *new Nvrtc(fmt::format("libnvrtc.so.{}", CUDART_VERSION / 1000));  // never closed
  return loaded;
}

}  // namespace ddlbench::kernels::cuda
