#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// A GPU: cuDNN for convolutions and attention, cuBLASLt for matrix products, kernels of this room for the rest.
/// Throws InputError where there is no such GPU, saying how many there are and why.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

/// The GPUs that this process can use, counted once. It starts the driver, which a child made by fork alone cannot use.
DeviceCount count_devices();

/// DeviceKind::channel_block: tensor cores want channels last, whatever the machine; without them rows are as good.
inline std::int64_t channel_block(graph::DType dtype, bool tf32) {
  return dtype != graph::DType::f32 || tf32 ? graph::all_channels : 1;
}

/// DeviceKind::missing_library.
std::string missing_library();

}  // namespace ddlbench::kernels::cuda
