#include "kernels/device.h"

#include "base/names.h"
#include "kernels/cpu/device.h"
#include "kernels/cuda/device.h"
#include "kernels/host_device.h"
#include "kernels/reference/device.h"

namespace ddlbench::kernels {

const std::vector<DeviceKind>& device_kinds() {
  static const std::vector<DeviceKind> kinds{
      {"reference",
       "plain loops on one thread, with sums in f64: slow; the reference that other devices are tested against",
       reference::make_device, one_host},
      {"cpu", "oneDNN for convolutions and matrix products, vectorised loops for the rest", cpu::make_device, one_host,
       cpu::channel_block},
      {"cuda",
       "an NVIDIA GPU: cuDNN for convolutions and attention, cuBLASLt for matrix products, ddlbench's own kernels for "
       "the rest",
       cuda::make_device, cuda::count_devices, cuda::channel_block, cuda::missing_library, true},
  };
  return kinds;
}

std::int64_t channel_block(const std::string& kind, graph::DType dtype, bool tf32) {
  const auto& of_kind = find_named(device_kinds(), kind, "device").channel_block;
  return of_kind == nullptr ? 1 : of_kind(dtype, tf32);
}

bool asynchronous(const std::string& kind) {
  return find_named(device_kinds(), kind, "device").asynchronous;
}

std::unique_ptr<Device> make_device(const std::string& kind, const DeviceOptions& options) {
  return find_named(device_kinds(), kind, "device").make(options);
}

}  // namespace ddlbench::kernels
