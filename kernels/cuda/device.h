#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// A GPU: cuDNN for convolutions and attention, cuBLASLt for matrix products, kernels of this room for the rest.
/// Throws InputError where there is no such GPU, saying how many there are and why.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

/// The GPUs that this process can use, counted once. It starts the driver, which a child made by fork alone cannot use.
DeviceCount count_devices();

/// DeviceKind::missing_library.
std::string missing_library();

}  // namespace ddlbench::kernels::cuda
