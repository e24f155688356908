#include "bench/records/gpu_environment.h"

#include <cstdlib>

namespace ddlbench::bench {
namespace {

using nlohmann::json;

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

template <class T>
json value_or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

/// Returns the ordinals of the other GPUs whose memory this GPU can access.
json peers_of(const kernels::GpuInfo& gpu, int ordinal) {
  json peers = json::array();
  for (int peer = 0; peer < static_cast<int>(gpu.peer_access.size()); ++peer) {
    if (peer != ordinal && gpu.peer_access[static_cast<std::size_t>(peer)]) peers.push_back(peer);
  }
  return peers;
}

json describe(const kernels::GpuInfo& gpu, int ordinal) {
  const int capability = gpu.compute_capability;
  return {{"ordinal", ordinal},
          {"name", gpu.name},
          {"uuid", text_or_null(gpu.uuid)},
          {"pci_bus_id", text_or_null(gpu.pci_bus_id)},
          {"compute_capability", std::to_string(capability / 10) + "." + std::to_string(capability % 10)},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_bytes", gpu.memory_bytes},
          {"l2_cache_bytes", gpu.l2_cache_bytes},
          {"numa_node", value_or_null(gpu.numa_node)},
          {"nvlinks", value_or_null(gpu.nvlinks)},
          {"peer_access", peers_of(gpu, ordinal)}};
}

json versions(const std::string& built, const std::string& loaded) {
  return {{"built", text_or_null(built)}, {"loaded", text_or_null(loaded)}};
}

}  // namespace

json describe_gpus(const kernels::CudaInfo& cuda, const comm::NcclState& nccl) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  json gpus = json::array();
  for (const kernels::GpuInfo& gpu : cuda.gpus) gpus.push_back(describe(gpu, static_cast<int>(gpus.size())));
  return {{"cuda_unusable", text_or_null(cuda.why_unusable)},
          {"nccl_unusable", text_or_null(nccl.why_not)},
          {"driver", text_or_null(cuda.driver)},
          {"driver_cuda", text_or_null(cuda.driver_cuda)},
          {"visible_devices", visible != nullptr ? json(visible) : json(nullptr)},
          {"gpus", gpus}};
}

json gpu_libraries(const kernels::CudaInfo& cuda, const comm::NcclState& nccl) {
  json libraries = json::object();
  for (const kernels::LibraryVersion& library : cuda.libraries) {
    libraries[library.name] = versions(library.built, library.loaded);
  }
  if (!nccl.built.empty() || !nccl.loaded.empty()) libraries["NCCL"] = versions(nccl.built, nccl.loaded);
  return libraries;
}

}  // namespace ddlbench::bench
