#include "runtime/floats.h"

#include <vector>

#include "runtime/convert.h"

namespace ddlbench::runtime {

void read_floats(kernels::Device& device, graph::DType dtype, const void* memory, std::span<float> host) {
  if (dtype == graph::DType::f32) return device.copy_out(host.data(), memory, host.size_bytes());
  std::vector<std::byte> stored(host.size() * graph::size_of(dtype));
  device.copy_out(stored.data(), memory, stored.size());
  widen(dtype, stored.data(), static_cast<std::int64_t>(host.size()), host.data());
}

void write_floats(kernels::Device& device, graph::DType dtype, void* memory, std::span<const float> host) {
  if (dtype == graph::DType::f32) return device.copy_in(memory, host.data(), host.size_bytes());
  std::vector<std::byte> stored(host.size() * graph::size_of(dtype));
  narrow(dtype, host.data(), static_cast<std::int64_t>(host.size()), stored.data());
  device.copy_in(memory, stored.data(), stored.size());
}

}  // namespace ddlbench::runtime
