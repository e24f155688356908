#pragma once

#include <cstddef>

namespace ddlbench::comm::testing {

/// Memory for the buffers of ranks. The host accesses it only by these copies, which are complete on return.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void copy_in(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_out(void* host, const void* device, std::size_t bytes) = 0;
};

}  // namespace ddlbench::comm::testing
