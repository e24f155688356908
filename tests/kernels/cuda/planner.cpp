#include "planner.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <filesystem>

namespace ddlbench::test {
namespace {

using kernels::cuda::Dnn;

/// As CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION has them.
const char* properties_of(const std::string& architecture) {
  if (architecture == "sm80") {
    return R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536,
      "multiProcessorCount": 108, "warpSize": 32, "maxSharedMemoryPerBlock": 49152,
      "maxSharedMemoryPerBlockOptin": 166912, "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536,
      "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,
      "supportCoopLaunch": 1, "smClockRateKHz": 1410000, "memClockRateKHz": 1593000, "l2CacheSize": 41943040,
      "deviceName": "NVIDIA A100-SXM4-80GB", "deviceVer": 800, "driverVer": 13000, "cudaDeviceId": 0,
      "totalGlobalMem": 85000000000})";
  }
  return R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536,
    "multiProcessorCount": 132, "warpSize": 32, "maxSharedMemoryPerBlock": 49152,
    "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536,
    "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,
    "supportCoopLaunch": 1, "smClockRateKHz": 1980000, "memClockRateKHz": 3201000, "l2CacheSize": 62914560,
    "deviceName": "NVIDIA H200", "deviceVer": 900, "driverVer": 13000, "cudaDeviceId": 0,
    "totalGlobalMem": 150000000000})";
}

/// Engines that are compiled when they are planned ask for the driver by its name; the toolkit's stand-in has that
/// name, once it is loaded.
void lend_driver() {
  if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;
  Dl_info runtime{};
  if (dladdr(reinterpret_cast<void*>(&cudaRuntimeGetVersion), &runtime) == 0) return;
  const auto library = std::filesystem::canonical(runtime.dli_fname);
  dlopen((library.parent_path() / "stubs/libcuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

std::shared_ptr<Dnn> planner(const std::string& architecture) {
  lend_driver();
  return kernels::cuda::dnn::make_planner(properties_of(architecture));
}

std::string try_to_plan(const Dnn& dnn, const kernels::cuda::dnn::Graph& graph, bool tensor_cores) {
  using namespace kernels::cuda::dnn;
  std::string why = "no configuration";
  try {
    const Configurations configurations(dnn, graph, {.tensor_cores = tensor_cores});
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      try {
        const Plan plan(dnn, configurations[i]);
        return "";
      } catch (const Refusal& refusal) {
        why = refusal.what();
      }
      if (compiled_but_not_loaded(why)) break;
    }
  } catch (const Refusal& refusal) {
    why = refusal.what();
  }
  return why;
}

bool compiled_but_not_loaded(const std::string& why) {
  return why.find("cuLibraryLoadData") != std::string::npos;
}

}  // namespace ddlbench::test
