#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels::reference {

/// Makes a device with one thread, regardless of `options`.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

}  // namespace ddlbench::kernels::reference
