#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device.h"

namespace ddlbench::test {

/// The reference device, as a base for devices that differ in one respect.
class WrappedDevice : public kernels::Device {
 public:
  std::string kind() const override { return inner_->kind(); }
  std::string description() const override { return inner_->description(); }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override { return inner_->bind(binding); }
  void* allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void release(void* memory) noexcept override { inner_->release(memory); }
  void copy_in(void* device, const void* host, std::size_t bytes) override { inner_->copy_in(device, host, bytes); }
  void copy_out(void* host, const void* device, std::size_t bytes) override { inner_->copy_out(host, device, bytes); }
  void fill_zero(void* device, std::size_t bytes) override { inner_->fill_zero(device, bytes); }
  void* allocate_host(std::size_t bytes) override { return inner_->allocate_host(bytes); }
  void release_host(void* memory) noexcept override { inner_->release_host(memory); }
  void copy_in(void* device, const void* host, std::size_t bytes, kernels::Stream stream) override {
    inner_->copy_in(device, host, bytes, stream);
  }
  void copy_out(void* host, const void* device, std::size_t bytes, kernels::Stream stream) override {
    inner_->copy_out(host, device, bytes, stream);
  }

 private:
  std::unique_ptr<kernels::Device> inner_ = kernels::make_device("reference", {});
};

/// Its kernels run when somebody waits for them, and no sooner: the slowest asynchronous device.
class LazyDevice final : public WrappedDevice {
 public:
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override;
  kernels::Event make_event(kernels::Mark) override;
  void record(kernels::Event event, kernels::Stream) override { marks_[static_cast<std::size_t>(event)] = launched_; }
  bool complete(kernels::Event event) override { return marks_[static_cast<std::size_t>(event)] <= done_; }
  void wait(kernels::Event event) override;

 private:
  friend class LazyKernel;
  struct Launch {
    kernels::Kernel* kernel;
    kernels::Arguments arguments;
  };
  std::deque<Launch> queue_;
  std::vector<std::int64_t> marks_;  ///< by event: launches before it
  std::int64_t launched_ = 0;
  std::int64_t done_ = 0;
};

/// Its kernels of one kind of op throw std::runtime_error("the device burns").
class BurningDevice final : public WrappedDevice {
 public:
  explicit BurningDevice(std::string kind) : kind_(std::move(kind)) {}
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override;

 private:
  std::string kind_;
};

}  // namespace ddlbench::test
