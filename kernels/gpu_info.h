#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The GPUs of a machine and their libraries. Available in every build.
namespace ddlbench::kernels {

/// Dotted versions; empty if there is none or it is unknown.
struct LibraryVersion {
  std::string name;    ///< "CUDA runtime", "cuDNN", "cuBLASLt", "NVRTC"
  std::string built;   ///< version of the headers that this binary was compiled with
  std::string loaded;  ///< version of the library in use; also empty if it is not loaded because no GPU can be used
};

struct GpuInfo {
  std::string name;
  std::string uuid;            ///< "GPU-xxxxxxxx-xxxx-…"
  std::string pci_bus_id;      ///< "0000:65:00.0"
  int compute_capability = 0;  ///< 90 for sm_90
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_cache_bytes = 0;
  std::optional<int> numa_node;   ///< NUMA node of the nearest host memory; empty if the system does not report it
  std::optional<int> nvlinks;     ///< number of active links; empty if NVML does not report it
  std::vector<bool> peer_access;  ///< by ordinal: whether this GPU can access the memory of that one; true for itself
};

struct CudaInfo {
  std::string why_unusable;  ///< the reason in one line; empty if "kind": "cuda" works here
  std::string driver;        ///< "580.65.06"; empty if unknown or if there is none
  std::string driver_cuda;   ///< the newest CUDA version that the driver supports, "13.0"; empty if there is none
  std::vector<LibraryVersion> libraries;  ///< empty in a build without CUDA
  std::vector<GpuInfo> gpus;              ///< by ordinal
};

/// Describes CUDA on this machine. Does not throw if something is missing: `why_unusable` states it.
CudaInfo describe_cuda();

/// Returns the GPUs of describe_cuda(), cached for the process: the query initialises NVML and asks for every pair of
/// GPUs.
const std::vector<GpuInfo>& cached_gpus();

}  // namespace ddlbench::kernels
