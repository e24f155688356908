#include <cuda_runtime_api.h>

#include <fmt/core.h>
#include <cstdlib>
#include <string>

#include "kernels/cuda/blas/library.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/nvrtc.h"
#include "kernels/cuda/versions.h"
#include "kernels/cuda/visible.h"

namespace ddlbench::kernels::cuda {
namespace {

DeviceCount count() {
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code == cudaSuccess && devices > 0) return {devices, ""};
  cudaGetLastError();
  if (code == cudaErrorInsufficientDriver && driver_cuda_version() == 0) {
    return {0,
            "no NVIDIA driver: libcuda.so.1 was not found or does not load (a container has it only if it was "
            "started with GPUs)"};
  }
  if (code == cudaErrorInsufficientDriver) {
    return {
        0,
        fmt::format(
            "the NVIDIA driver is too old: it supports CUDA {}, but this ddlbench was built with {}; update the driver",
            cuda_version_text(driver_cuda_version()), cuda_version_text(CUDART_VERSION))};
  }
  if (code == cudaSuccess || code == cudaErrorNoDevice) {
    return {0, "no GPU: there is an NVIDIA driver, but no visible GPU (" + visible_devices() + ")"};
  }
  return {0, fmt::format("the GPUs do not respond: {} ({})", cudaGetErrorString(code), cudaGetErrorName(code))};
}

}  // namespace

DeviceCount count_devices() {
  static const DeviceCount counted = count();
  return counted;
}

std::string missing_library() {
  try {
    blas::library();
    nvrtc();
    return {};
  } catch (const DeviceError& missing) {
    return missing.what();
  }
}

std::string visible_devices() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? "CUDA_VISIBLE_DEVICES is not set" : "CUDA_VISIBLE_DEVICES=" + std::string(visible);
}

}  // namespace ddlbench::kernels::cuda
