#include "kernels/cuda/known_gpus.h"

#include <fmt/core.h>
#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/join.h"

namespace ddlbench::kernels::cuda {

std::string KnownGpu::json() const {
  std::ostringstream text;
  text << R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536)"
       << R"(, "multiProcessorCount": )" << multiprocessors << R"(, "warpSize": 32, "maxSharedMemoryPerBlock": 49152)"
       << R"(, "maxSharedMemoryPerBlockOptin": )" << shared_bytes_per_block
       << R"(, "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536)"
       << R"(, "maxCtasPerSM": )" << blocks_per_multiprocessor << R"(, "maxThreadsPerBlock": 1024)"
       << R"(, "maxThreadsPerSM": )" << threads_per_multiprocessor << R"(, "pciDeviceId": 0, "isTccDriver": 0)"
       << R"(, "supportCoopLaunch": 1, "smClockRateKHz": )" << clock_khz << R"(, "memClockRateKHz": )"
       << memory_clock_khz << R"(, "l2CacheSize": )" << l2_bytes << R"(, "deviceName": ")" << name
       << R"(", "deviceVer": )" << compute_capability * 10 << R"(, "driverVer": 13000, "cudaDeviceId": 0)"
       << R"(, "totalGlobalMem": )" << memory_bytes << "}";
  return text.str();
}

const std::vector<KnownGpu>& known_gpus() {
  static const std::vector<KnownGpu> all{
      {75, "Tesla T4", 40, 65536, 16, 1024, 1590000, 5001000, 4194304, 15800000000},
      {80, "NVIDIA A100-SXM4-80GB", 108, 166912, 32, 2048, 1410000, 1593000, 41943040, 85000000000},
      {90, "NVIDIA H200", 132, 232448, 32, 2048, 1980000, 3201000, 62914560, 150000000000},
      {100, "NVIDIA B200", 148, 232448, 32, 2048, 1980000, 3201000, 132644864, 190000000000}};
  return all;
}

const KnownGpu& known_gpu(int compute_capability) {
  for (const KnownGpu& gpu : known_gpus())
    if (gpu.compute_capability == compute_capability) return gpu;
  const std::string known =
      joined(known_gpus(), ", ", [](const auto& gpu) { return std::to_string(gpu.compute_capability); });
  throw InputError(fmt::format("unknown GPU architecture {}; available: {}", compute_capability, known));
}

}  // namespace ddlbench::kernels::cuda
