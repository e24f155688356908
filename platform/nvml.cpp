#include "platform/nvml.h"

#include <fmt/core.h>
#include <map>

#include "platform/shared_library.h"

namespace ddlbench::platform {
namespace {

// Declarations from nvml.h, whose interface is stable within this major version; the toolkit need not be installed.
using Device = struct nvmlDevice_st*;
using Result = int;
constexpr Result success = 0;
constexpr int enabled = 1;
constexpr unsigned links_at_most = 18;  // NVML_NVLINK_MAX_LINKS

struct Utilization {
  unsigned gpu, memory;  // per cent
};
struct Memory {
  unsigned long long total, free, used;  // bytes
};

}  // namespace

struct Nvml::Library {
  explicit Library(const std::string& name) : file(name) {}
  ~Library() {
    if (running) shutdown();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  Device device(const std::string& pci_bus_id) {
    const auto [known, is_new] = devices.try_emplace(pci_bus_id, nullptr);
    if (is_new && (by_bus_id == nullptr || by_bus_id(pci_bus_id.c_str(), &known->second) != success)) {
      known->second = nullptr;
    }
    return known->second;
  }

  SharedLibrary file;
  bool running = false;
  std::map<std::string, Device> devices;  // null if NVML does not know the GPU

  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*system_driver)(char*, unsigned) = nullptr;
  Result (*by_bus_id)(const char*, Device*) = nullptr;
  Result (*utilization)(Device, Utilization*) = nullptr;
  Result (*memory)(Device, Memory*) = nullptr;
  Result (*power)(Device, unsigned*) = nullptr;  // milliwatts
  Result (*link_state)(Device, unsigned, int*) = nullptr;
};

Nvml::Nvml(const std::string& library) {
  auto loaded = std::make_unique<Library>(library);
  const SharedLibrary& file = loaded->file;
  if (!file.why_not().empty()) {
    why_not_ = "NVML cannot be loaded: " + file.why_not();
    return;
  }
  file.find(loaded->init, "nvmlInit_v2");
  file.find(loaded->shutdown, "nvmlShutdown");
  file.find(loaded->system_driver, "nvmlSystemGetDriverVersion");
  file.find(loaded->by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  file.find(loaded->utilization, "nvmlDeviceGetUtilizationRates");
  file.find(loaded->memory, "nvmlDeviceGetMemoryInfo");
  file.find(loaded->power, "nvmlDeviceGetPowerUsage");
  file.find(loaded->link_state, "nvmlDeviceGetNvLinkState");
  if (loaded->init == nullptr || loaded->shutdown == nullptr) {
    why_not_ = library + " is not NVML: it lacks nvmlInit_v2 or nvmlShutdown";
    return;
  }
  if (const Result result = loaded->init(); result != success) {
    why_not_ = fmt::format("NVML does not start: nvmlInit_v2 returned {}", result);
    return;
  }
  loaded->running = true;
  library_ = std::move(loaded);
}

Nvml::~Nvml() = default;

std::string Nvml::driver_version() const {
  char text[96] = {};
  if (!library_ || library_->system_driver == nullptr) return {};
  return library_->system_driver(text, sizeof text - 1) == success ? std::string(text) : std::string();
}

std::vector<Nvml::Sample> Nvml::sample(const std::vector<std::string>& pci_bus_ids) {
  std::vector<Sample> samples(pci_bus_ids.size());
  if (!library_) return samples;
  const Library& nvml = *library_;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Device device = library_->device(pci_bus_ids[i]);
    if (device == nullptr) continue;
    Utilization utilization{};
    if (nvml.utilization != nullptr && nvml.utilization(device, &utilization) == success) {
      samples[i].utilisation_ratio = utilization.gpu / 100.0;
    }
    Memory memory{};
    if (nvml.memory != nullptr && nvml.memory(device, &memory) == success) {
      samples[i].memory_used_bytes = static_cast<std::int64_t>(memory.used);
    }
    unsigned milliwatts = 0;
    if (nvml.power != nullptr && nvml.power(device, &milliwatts) == success) {
      samples[i].power_watts = milliwatts / 1000.0;
    }
  }
  return samples;
}

std::optional<int> Nvml::nvlinks(const std::string& pci_bus_id) {
  Device device = library_ ? library_->device(pci_bus_id) : nullptr;
  if (device == nullptr || library_->link_state == nullptr) return {};
  std::optional<int> up;
  for (unsigned link = 0; link < links_at_most; ++link) {
    int state = 0;
    if (library_->link_state(device, link, &state) != success) continue;  // no such link
    up = up.value_or(0) + (state == enabled ? 1 : 0);
  }
  return up;
}

}  // namespace ddlbench::platform
