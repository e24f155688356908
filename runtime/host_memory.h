#pragma once

#include <cstring>
#include <memory>

#include "kernels/device.h"

namespace ddlbench::runtime {

/// Pinned host memory for a device's asynchronous copies, initially zero. It is not part of the plan's memory, which is
/// on the device.
class HostMemory {
 public:
  HostMemory(kernels::Device& device, std::size_t bytes)
      : memory_(bytes == 0 ? nullptr : static_cast<std::byte*>(device.allocate_host(bytes)), Release{&device}) {
    if (bytes > 0) std::memset(memory_.get(), 0, bytes);
  }
  std::byte* data() const { return memory_.get(); }

 private:
  struct Release {
    kernels::Device* device;
    void operator()(std::byte* memory) const noexcept { device->release_host(memory); }
  };
  std::unique_ptr<std::byte, Release> memory_;
};

}  // namespace ddlbench::runtime
