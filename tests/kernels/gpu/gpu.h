#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/device.h"

/// Helpers of the tests of streams, events and recordings.
namespace ddlbench::test {

std::unique_ptr<kernels::Device> gpu();

/// Numbers in device memory.
class OnDevice {
 public:
  OnDevice(kernels::Device& device, std::size_t size)
      : device_(device), data_(device.allocate(size * sizeof(std::int32_t))) {
    device.fill_zero(data_, size * sizeof(std::int32_t));
  }
  ~OnDevice() { device_.release(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  void* data() const { return data_; }

 private:
  kernels::Device& device_;
  void* data_;
};

/// Numbers in pinned memory, all of one value.
class Pinned {
 public:
  Pinned(kernels::Device& device, std::size_t size, std::int32_t value);
  ~Pinned() { device_.release_host(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  std::int32_t* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(std::int32_t); }
  void fill(std::int32_t value);
  bool all(std::int32_t value) const;

 private:
  kernels::Device& device_;
  std::size_t size_;
  std::int32_t* data_;
};

/// Nanoseconds of std::chrono::steady_clock.
std::int64_t host_now();

}  // namespace ddlbench::test
