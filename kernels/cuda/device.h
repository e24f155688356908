#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Makes a device for a GPU. It uses cuDNN for convolutions and 16-bit attention, cuBLASLt for matrix products, and our
/// own kernels for the rest. Throws InputError if there is no such GPU; the message states how many are visible, or why
/// there are none.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

/// Returns the GPUs that this process can use, counted once. Initialises the driver, which a forked child process that
/// does not call exec cannot use.
DeviceCount count_devices();

/// Implements DeviceKind::channel_block. Tensor cores prefer channels last on every GPU; without them, row-major is as
/// good.
inline std::int64_t channel_block(graph::DType dtype, bool tf32) {
  return dtype != graph::DType::f32 || tf32 ? graph::all_channels : 1;
}

/// Implements DeviceKind::missing_library.
std::string missing_library();

}  // namespace ddlbench::kernels::cuda
