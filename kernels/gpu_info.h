#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a machine has of GPUs and their libraries, in any build.
namespace ddlbench::kernels {

/// Dotted versions; empty where there is none or it is not known.
struct LibraryVersion {
  std::string name;    ///< "CUDA runtime", "cuDNN", "cuBLASLt", "NVRTC"
  std::string built;   ///< of the headers that this binary was compiled with
  std::string loaded;  ///< of the library that runs; empty, too: not loaded, because no GPU can be used
};

struct GpuInfo {
  std::string name;
  std::string uuid;            ///< "GPU-xxxxxxxx-xxxx-…"
  std::string pci_bus_id;      ///< "0000:65:00.0"
  int compute_capability = 0;  ///< 90 for sm_90
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_cache_bytes = 0;
  std::optional<int> numa_node;   ///< the memory of the host that is near; empty where the system does not say
  std::optional<int> nvlinks;     ///< links that are up; empty where NVML does not say
  std::vector<bool> peer_access;  ///< by ordinal: whether this one reads and writes that one's memory; itself: true
};

struct CudaInfo {
  std::string why_unusable;               ///< in a line; empty: "kind": "cuda" works here
  std::string driver;                     ///< "580.65.06"; empty: not known, or there is none
  std::string driver_cuda;                ///< the newest CUDA that the driver knows, "13.0"; empty: there is none
  std::vector<LibraryVersion> libraries;  ///< none in a build without CUDA
  std::vector<GpuInfo> gpus;              ///< by ordinal
};

/// Never throws for what a machine lacks: it says so in `why_unusable`.
CudaInfo describe_cuda();

/// Its GPUs, asked for once in a process: the answer takes NVML and a question for each pair of GPUs.
const std::vector<GpuInfo>& seen_gpus();

}  // namespace ddlbench::kernels
