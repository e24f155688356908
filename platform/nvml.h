#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::platform {

/// NVIDIA's management library (NVML), loaded at run time. It comes with the driver; ddlbench builds and starts without
/// it. Values that it does not report are empty, never 0; without the library all are empty. Not thread-safe.
class Nvml {
 public:
  /// `library` is passed to dlopen.
  explicit Nvml(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Returns in one line why NVML cannot be used; empty if it can.
  const std::string& why_not() const { return why_not_; }

  std::string driver_version() const;  ///< "580.65.06"; empty if unknown

  struct Sample {
    std::optional<double> utilisation_ratio;  ///< share of time in which a kernel ran, over NVML's last period (≤ 1 s)
    std::optional<std::int64_t> memory_used_bytes;  ///< on the whole GPU, including other processes
    std::optional<double> power_watts;
  };
  /// Returns one sample per GPU. GPUs are named by PCI bus ID (GpuInfo::pci_bus_id), because NVML and CUDA number them
  /// differently.
  std::vector<Sample> sample(const std::vector<std::string>& pci_bus_ids);

  /// Returns how many NVLinks of the GPU are up.
  std::optional<int> nvlinks(const std::string& pci_bus_id);

 private:
  struct Library;
  std::unique_ptr<Library> library_;  ///< null if it cannot be used
  std::string why_not_;
};

}  // namespace ddlbench::platform
