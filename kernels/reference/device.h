#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels::reference {

/// One thread, whatever `options` asks for.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

}  // namespace ddlbench::kernels::reference
