#include "kernels/host_device.h"

#include <cstring>
#include <fstream>

#include "kernels/host_memory.h"

namespace ddlbench::kernels {

void* HostDevice::allocate(std::size_t bytes) {
  return kernels::allocate_host(bytes);
}

void HostDevice::release(void* memory) noexcept {
  kernels::release_host(memory);
}

void HostDevice::copy_in(void* device, const void* host, std::size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}

void HostDevice::copy_out(void* host, const void* device, std::size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}

void HostDevice::fill_zero(void* device, std::size_t bytes) {
  if (bytes > 0) std::memset(device, 0, bytes);
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

DeviceCount one_host() {
  return {1, ""};
}

}  // namespace ddlbench::kernels
