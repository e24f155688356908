#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::platform {

/// NVIDIA's management library, loaded at run time: it comes with the driver, and ddlbench builds and starts without
/// it. What it does not say is empty, never 0: without the library all is. Used by one thread at a time.
class Nvml {
 public:
  /// `library` as dlopen takes it.
  explicit Nvml(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// In a line why there is nothing to be read; empty where there is.
  const std::string& why_not() const { return why_not_; }

  std::string driver_version() const;  ///< "580.65.06"; empty: not known

  struct Sample {
    std::optional<double> utilisation_ratio;  ///< of the time in which some kernel ran, over NVML's last period (≤ 1 s)
    std::optional<std::int64_t> memory_used_bytes;  ///< on the whole GPU, other processes' too
    std::optional<double> power_watts;
  };
  /// Of each GPU, named by its PCI bus id (GpuInfo::pci_bus_id: NVML counts GPUs otherwise than CUDA).
  std::vector<Sample> sample(const std::vector<std::string>& pci_bus_ids);

  /// How many of the GPU's links are up.
  std::optional<int> nvlinks(const std::string& pci_bus_id);

 private:
  struct Library;
  std::unique_ptr<Library> library_;  ///< null where it could not be used
  std::string why_not_;
};

}  // namespace ddlbench::platform
