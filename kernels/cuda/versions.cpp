#include "kernels/cuda/versions.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <fmt/core.h>
#include <fstream>

#include "kernels/cuda/blas/library.h"
#include "kernels/cuda/nvrtc.h"
#include "platform/nvml.h"

namespace ddlbench::kernels::cuda {
namespace {

std::string dotted(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

/// Formats major·10000 + minor·100 + patch, which cuBLAS and, since version 9, cuDNN use.
std::string dotted(std::size_t version) {
  const int number = static_cast<int>(version);
  return dotted(number / 10000, number / 100 % 100, number % 100);
}

std::string nvrtc_version() {
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  return cuda_version_text(1000 * major + 10 * minor);
}

}  // namespace

std::vector<LibraryVersion> library_versions(Load by_name) {
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  return {{"CUDA runtime", cuda_version_text(CUDART_VERSION), cuda_version_text(runtime)},
          {"cuDNN", dotted(CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL), dotted(cudnnGetVersion())},
          {"cuBLASLt", dotted(CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH),
           by_name == Load::yes ? dotted(blas::library().get_version()) : std::string()},
          {"NVRTC", cuda_version_text(CUDART_VERSION), by_name == Load::yes ? nvrtc_version() : std::string()}};
}

int driver_cuda_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

std::string cuda_version_text(int version) {
  return version == 0 ? "" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string driver_version() {
  const std::string nvml_version = platform::Nvml().driver_version();
  if (!nvml_version.empty()) return nvml_version;
  std::string version;
  std::ifstream("/sys/module/nvidia/version") >> version;
  return version;
}

}  // namespace ddlbench::kernels::cuda
