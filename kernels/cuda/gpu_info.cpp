#include "kernels/gpu_info.h"

#include <cuda_runtime_api.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "base/hash.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/versions.h"
#include "platform/nvml.h"

namespace ddlbench::kernels {
namespace {

/// Returns "GPU-" and 8-4-4-4-12 hexadecimal digits, as in nvidia-smi and CUDA_VISIBLE_DEVICES.
std::string text_of(const cudaUUID_t& uuid) {
  std::string text = hexadecimal({reinterpret_cast<const unsigned char*>(uuid.bytes), sizeof uuid.bytes});
  for (const std::size_t at : {20, 16, 12, 8}) text.insert(at, "-");
  return "GPU-" + text;
}

std::string bus_id_of(int ordinal) {
  std::array<char, 32> text{};
  if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), ordinal) != cudaSuccess) return {};
  std::string id(text.data());
  std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return std::tolower(c); });  // as /sys has it
  return id;
}

std::optional<int> numa_node_of(const std::string& pci_bus_id) {
  std::ifstream file("/sys/bus/pci/devices/" + pci_bus_id + "/numa_node");
  int node = -1;
  if (!(file >> node) || node < 0) return {};
  return node;
}

std::vector<bool> peers_of(int ordinal, int count) {
  std::vector<bool> peers;
  for (int peer = 0; peer < count; ++peer) {
    int can = peer == ordinal ? 1 : 0;
    if (peer != ordinal && cudaDeviceCanAccessPeer(&can, ordinal, peer) != cudaSuccess) can = 0;
    peers.push_back(can != 0);
  }
  return peers;
}

}  // namespace

CudaInfo describe_cuda() {
  CudaInfo info;
  const DeviceCount count = cuda::count_devices();
  info.why_unusable = count.devices > 0 ? cuda::missing_library() : count.why_none;
  info.driver = cuda::driver_version();
  info.driver_cuda = cuda::cuda_version_text(cuda::driver_cuda_version());
  info.libraries = cuda::library_versions(info.why_unusable.empty() ? cuda::Load::yes : cuda::Load::no);
  platform::Nvml nvml;
  for (int ordinal = 0; ordinal < count.devices; ++ordinal) {
    cudaDeviceProp properties{};
    if (const cudaError_t code = cudaGetDeviceProperties(&properties, ordinal); code != cudaSuccess) {
      info.why_unusable = fmt::format("GPU {} does not respond: {}", ordinal, cudaGetErrorString(code));
      break;
    }
    GpuInfo gpu;
    gpu.name = properties.name;
    gpu.uuid = text_of(properties.uuid);
    gpu.pci_bus_id = bus_id_of(ordinal);
    gpu.compute_capability = properties.major * 10 + properties.minor;
    gpu.multiprocessors = properties.multiProcessorCount;
    gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    gpu.l2_cache_bytes = properties.l2CacheSize;
    gpu.numa_node = numa_node_of(gpu.pci_bus_id);
    gpu.nvlinks = nvml.nvlinks(gpu.pci_bus_id);
    gpu.peer_access = peers_of(ordinal, count.devices);
    info.gpus.push_back(std::move(gpu));
  }
  return info;
}

}  // namespace ddlbench::kernels
