#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels::cpu {

/// oneDNN and this room's loops, on `options.threads` threads of the calling one. Throws InputError unless
/// there is at least one.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

/// DeviceKind::channel_block: as many channels as a vector register holds, of any type.
std::int64_t channel_block(graph::DType dtype, bool tf32);

}  // namespace ddlbench::kernels::cpu
