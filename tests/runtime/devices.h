#pragma once

#include <memory>
#include <string>

#include "kernels/device.h"

namespace ddlbench::test {

/// The reference device, as a base class for devices that differ in one respect.
class WrappedDevice : public kernels::Device {
 public:
  std::string kind() const override { return inner_->kind(); }
  std::string description() const override { return inner_->description(); }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override { return inner_->bind(binding); }
  void* allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void release(void* memory) noexcept override { inner_->release(memory); }
  std::int64_t allocated_bytes() const override { return inner_->allocated_bytes(); }
  void copy_in(void* device, const void* host, std::size_t bytes) override { inner_->copy_in(device, host, bytes); }
  void copy_out(void* host, const void* device, std::size_t bytes) override { inner_->copy_out(host, device, bytes); }
  void fill_zero(void* device, std::size_t bytes) override { inner_->fill_zero(device, bytes); }
  void* allocate_host(std::size_t bytes) override { return inner_->allocate_host(bytes); }
  void release_host(void* memory) noexcept override { inner_->release_host(memory); }
  void copy_in(void* device, const void* host, std::size_t bytes, graph::Stream stream) override {
    inner_->copy_in(device, host, bytes, stream);
  }
  void copy_out(void* host, const void* device, std::size_t bytes, graph::Stream stream) override {
    inner_->copy_out(host, device, bytes, stream);
  }

 private:
  std::unique_ptr<kernels::Device> inner_ = kernels::make_device("reference", {});
};

/// A device whose kernels for one kind of op throw std::runtime_error("the device burns").
class FailingDevice final : public WrappedDevice {
 public:
  explicit FailingDevice(std::string kind) : kind_(std::move(kind)) {}
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override;

 private:
  std::string kind_;
};

}  // namespace ddlbench::test
