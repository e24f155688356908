#pragma once

#include <memory>
#include <string>

#include "kernels/device.h"

namespace ddlbench::kernels {

/// A device whose kernels take longer: each launch of `device` is followed by a wait until it has lasted `slowdown`
/// times its own duration. The waiting thread occupies its core, as a slower one would be occupied. Everything else is
/// passed to `device`, which must outlive it and must not be asynchronous.
class SlowedDevice final : public Device {
 public:
  SlowedDevice(Device& device, double slowdown);

  std::unique_ptr<Kernel> bind(const Binding& binding) override;

  std::string kind() const override { return device_.kind(); }
  std::string description() const override { return device_.description(); }
  bool binds_by_alignment() const override { return device_.binds_by_alignment(); }
  Choices* choices() override { return device_.choices(); }
  void* allocate(std::size_t bytes) override { return device_.allocate(bytes); }
  void release(void* memory) noexcept override { device_.release(memory); }
  std::int64_t allocated_bytes() const override { return device_.allocated_bytes(); }
  void copy_in(void* device, const void* host, std::size_t bytes) override { device_.copy_in(device, host, bytes); }
  void copy_out(void* host, const void* device, std::size_t bytes) override { device_.copy_out(host, device, bytes); }
  void fill_zero(void* device, std::size_t bytes) override { device_.fill_zero(device, bytes); }
  void* allocate_host(std::size_t bytes) override { return device_.allocate_host(bytes); }
  void release_host(void* memory) noexcept override { device_.release_host(memory); }
  void copy_in(void* device, const void* pinned, std::size_t bytes, graph::Stream stream) override {
    device_.copy_in(device, pinned, bytes, stream);
  }
  void copy_out(void* pinned, const void* device, std::size_t bytes, graph::Stream stream) override {
    device_.copy_out(pinned, device, bytes, stream);
  }
  std::int64_t memory_bytes() const override { return device_.memory_bytes(); }

 private:
  Device& device_;
  double slowdown_;
};

}  // namespace ddlbench::kernels
