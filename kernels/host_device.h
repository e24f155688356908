#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels {

/// The common part of devices that compute on the host: memory and copies.
class HostDevice : public Device {
 public:
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  std::int64_t allocated_bytes() const override { return allocated_bytes_; }
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
  std::int64_t allocated_bytes_ = 0;
};

/// Returns one: for any kind that computes on the host, the machine is one device.
DeviceCount one_host();

}  // namespace ddlbench::kernels
