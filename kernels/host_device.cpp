#include "kernels/host_device.h"

#include <cstdint>
#include <cstring>

#include "platform/host_memory.h"

namespace ddlbench::kernels {

void* HostDevice::allocate(std::size_t bytes) {
  void* const memory = platform::allocate_host(bytes, platform::HostUse::device);
  allocated_bytes_ += static_cast<std::int64_t>(bytes);
  return memory;
}

void HostDevice::release(void* memory) noexcept {
  allocated_bytes_ -= static_cast<std::int64_t>(platform::release_host(memory));
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

DeviceCount one_host() {
  return {1, ""};
}

}  // namespace ddlbench::kernels
