#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels {

/// What the devices that compute on the host share: memory and copies.
class HostDevice : public Device {
 public:
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  std::int64_t handed_out_bytes() const override { return handed_out_bytes_; }
  void copy_in(void* device, const void* host, std::size_t bytes) override;
  void copy_out(void* host, const void* device, std::size_t bytes) override;
  void fill_zero(void* device, std::size_t bytes) override;
  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;
  void copy_in(void* device, const void* pinned, std::size_t bytes, graph::Stream) override {
    copy_in(device, pinned, bytes);
  }
  void copy_out(void* pinned, const void* device, std::size_t bytes, graph::Stream) override {
    copy_out(pinned, device, bytes);
  }

 private:
  std::int64_t handed_out_bytes_ = 0;
};

/// A machine is one device, of any kind that computes on the host.
DeviceCount one_host();

/// "AMD EPYC 9654": the processor's name as the system tells it, "unknown processor" where it does not.
std::string processor_name();

/// That, with family, model and stepping, and a digest of its features: equal where compiled and timed code runs alike.
std::string processor_identity();

}  // namespace ddlbench::kernels
