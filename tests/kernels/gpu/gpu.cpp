#include "gpu.h"

#include <algorithm>
#include <chrono>

namespace ddlbench::test {

std::unique_ptr<kernels::Device> gpu() {
  return kernels::make_device("cuda", {});
}

Pinned::Pinned(kernels::Device& device, std::size_t size, std::int32_t value)
    : device_(device),
      size_(size),
      data_(static_cast<std::int32_t*>(device.allocate_host(size * sizeof(std::int32_t)))) {
  fill(value);
}

void Pinned::fill(std::int32_t value) {
  std::fill_n(data_, size_, value);
}

bool Pinned::all(std::int32_t value) const {
  return std::all_of(data_, data_ + size_, [value](std::int32_t other) { return other == value; });
}

std::int64_t host_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace ddlbench::test
