#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels::cpu {

/// Makes a device that computes with oneDNN and with the loops of this folder, on up to `options.threads` OpenMP
/// threads per calling thread. Throws InputError if `options.threads` is less than 1.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

/// Returns onednn::channel_block(), whatever `dtype` and `tf32` are. See DeviceKind::channel_block.
std::int64_t channel_block(graph::DType dtype, bool tf32);

}  // namespace ddlbench::kernels::cpu
