#include "bench/records/gpu_environment.h"

#include <fmt/core.h>
#include <cstdlib>

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Returns the ordinals of the other GPUs whose memory this GPU can access.
Json peers_of(const kernels::GpuInfo& gpu, int ordinal) {
  Json peers = Json::array();
  for (int peer = 0; peer < static_cast<int>(gpu.peer_access.size()); ++peer) {
    if (peer != ordinal && gpu.peer_access[static_cast<std::size_t>(peer)]) peers.push_back(peer);
  }
  return peers;
}

Json describe(const kernels::GpuInfo& gpu, int ordinal) {
  const int capability = gpu.compute_capability;
  return {{"ordinal", ordinal},
          {"name", gpu.name},
          {"uuid", text_or_null(gpu.uuid)},
          {"pci_bus_id", text_or_null(gpu.pci_bus_id)},
          {"compute_capability", fmt::format("{}.{}", capability / 10, capability % 10)},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_bytes", gpu.memory_bytes},
          {"l2_cache_bytes", gpu.l2_cache_bytes},
          {"numa_node", value_or_null(gpu.numa_node)},
          {"nvlinks", value_or_null(gpu.nvlinks)},
          {"peer_access", peers_of(gpu, ordinal)}};
}

Json versions(const std::string& built, const std::string& loaded) {
  return {{"built", text_or_null(built)}, {"loaded", text_or_null(loaded)}};
}

}  // namespace

Json describe_gpus(const kernels::CudaInfo& cuda, const comm::NcclState& nccl) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  Json gpus = Json::array();
  for (const kernels::GpuInfo& gpu : cuda.gpus) gpus.push_back(describe(gpu, static_cast<int>(gpus.size())));
  return {{"cuda_unusable", text_or_null(cuda.why_unusable)},
          {"nccl_unusable", text_or_null(nccl.why_not)},
          {"driver", text_or_null(cuda.driver)},
          {"driver_cuda", text_or_null(cuda.driver_cuda)},
          {"visible_devices", visible != nullptr ? Json(visible) : Json(nullptr)},
          {"gpus", gpus}};
}

Json gpu_libraries(const kernels::CudaInfo& cuda, const comm::NcclState& nccl) {
  Json libraries = Json::object();
  for (const kernels::LibraryVersion& library : cuda.libraries) {
    libraries[library.name] = versions(library.built, library.loaded);
  }
  if (!nccl.built.empty() || !nccl.loaded.empty()) libraries["NCCL"] = versions(nccl.built, nccl.loaded);
  return libraries;
}

}  // namespace ddlbench::bench
