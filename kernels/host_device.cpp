#include "kernels/host_device.h"

#include <cstdint>
#include <cstring>
#include <fstream>

#include "base/hash.h"
#include "platform/host_memory.h"

namespace ddlbench::kernels {

void* HostDevice::allocate(std::size_t bytes) {
  void* const memory = platform::allocate_host(bytes, platform::HostUse::device);
  handed_out_bytes_ += static_cast<std::int64_t>(bytes);
  return memory;
}

void HostDevice::release(void* memory) noexcept {
  handed_out_bytes_ -= static_cast<std::int64_t>(platform::release_host(memory));
}

void* HostDevice::allocate_host(std::size_t bytes) {
  return platform::allocate_host(bytes, platform::HostUse::heap);
}

void HostDevice::release_host(void* memory) noexcept {
  platform::release_host(memory);
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

namespace {

/// Of the first processor; empty where the system does not tell it.
std::string processor_field(const std::string& field) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos && line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1) == field) {
      return line.substr(colon + 2);
    }
  }
  return "";
}

}  // namespace

std::string processor_name() {
  const std::string name = processor_field("model name");
  return name.empty() ? "unknown processor" : name;
}

std::string processor_identity() {
  return processor_name() + " " + processor_field("cpu family") + "/" + processor_field("model") + "/" +
         processor_field("stepping") + ", features " + hexadecimal(fnv1a(processor_field("flags")));
}

DeviceCount one_host() {
  return {1, ""};
}

}  // namespace ddlbench::kernels
