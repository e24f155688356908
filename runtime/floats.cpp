#include "runtime/floats.h"

#include <vector>

#include "kernels/rewrite/convert.h"

namespace ddlbench::runtime {

void read_floats(kernels::Device& device, graph::DType dtype, const void* memory, std::span<float> host) {
  if (dtype == graph::DType::f32) return device.copy_out(host.data(), memory, host.size_bytes());
  std::vector<std::byte> stored(host.size() * graph::size_of(dtype));
  device.copy_out(stored.data(), memory, stored.size());
  kernels::widen(1, dtype, stored.data(), host.data(), static_cast<std::int64_t>(host.size()));
}

void write_floats(kernels::Device& device, graph::DType dtype, void* memory, std::span<const float> host) {
  if (dtype == graph::DType::f32) return device.copy_in(memory, host.data(), host.size_bytes());
  std::vector<std::byte> stored(host.size() * graph::size_of(dtype));
  kernels::narrow(1, dtype, host.data(), stored.data(), static_cast<std::int64_t>(host.size()));
  device.copy_in(memory, stored.data(), stored.size());
}

}  // namespace ddlbench::runtime
