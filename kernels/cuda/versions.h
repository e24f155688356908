#pragma once

#include <string>
#include <vector>

#include "kernels/gpu_info.h"

namespace ddlbench::kernels::cuda {

/// Of the CUDA runtime, cuDNN and cuBLASLt, in this order. Needs no driver. What is loaded when it is first asked for is
/// loaded to be asked if `load`, and then DeviceError says that it cannot be; else it has no `loaded`.
std::vector<LibraryVersion> library_versions(bool load);

/// The newest CUDA that the driver knows, as 1000·major + 10·minor; 0 where there is no driver.
int driver_cuda_version();

/// "13.0" of 13000.
std::string cuda_version_text(int version);

/// "580.65.06", asked of NVML, else of the kernel module; empty where neither says.
std::string driver_version();

}  // namespace ddlbench::kernels::cuda
