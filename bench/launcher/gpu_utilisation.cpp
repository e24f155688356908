#include "bench/launcher/gpu_utilisation.h"

#include <algorithm>

namespace ddlbench::bench {
namespace {

template <class Value>
std::optional<Value> sum(const std::vector<platform::Nvml::Sample>& gpus,
                         std::optional<Value> platform::Nvml::Sample::*member) {
  std::optional<Value> total;
  for (const platform::Nvml::Sample& gpu : gpus) {
    if (!(gpu.*member)) return std::nullopt;
    total = total.value_or(Value{}) + *(gpu.*member);
  }
  return total;
}

}  // namespace

std::vector<std::string> gpus_of_case(const Devices& devices, int ranks, const std::vector<kernels::GpuInfo>& gpus) {
  std::vector<std::string> ids;
  if (!devices.derived.is_accelerator) return ids;
  const auto used = std::min(static_cast<std::size_t>(ranks), gpus.size());
  for (std::size_t ordinal = 0; ordinal < used; ++ordinal) ids.push_back(gpus[ordinal].pci_bus_id);
  return ids;
}

std::vector<std::string> gpus_of_case(const Devices& devices, int ranks) {
  return devices.derived.is_accelerator ? gpus_of_case(devices, ranks, kernels::cached_gpus())
                                        : std::vector<std::string>();
}

void note_gpus(const std::vector<platform::Nvml::Sample>& gpus, UtilisationRecord& record) {
  using Sample = platform::Nvml::Sample;
  record.gpu_memory_bytes = sum(gpus, &Sample::memory_used_bytes);
  record.gpu_power_watts = sum(gpus, &Sample::power_watts);
  record.gpu_utilisation_ratio = sum(gpus, &Sample::utilisation_ratio);
  if (record.gpu_utilisation_ratio) *record.gpu_utilisation_ratio /= static_cast<double>(gpus.size());
}

}  // namespace ddlbench::bench
