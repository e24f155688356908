#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels {

/// What the devices that compute on the host share: memory and copies.
class HostDevice : public Device {
 public:
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void copy_in(void* device, const void* host, std::size_t bytes) override;
  void copy_out(void* host, const void* device, std::size_t bytes) override;
  void fill_zero(void* device, std::size_t bytes) override;
};

/// "AMD EPYC 9654": the processor's name as the system tells it, "unknown processor" where it does not.
std::string processor_name();

}  // namespace ddlbench::kernels
