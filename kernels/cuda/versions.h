#pragma once

#include <string>
#include <vector>

#include "kernels/gpu_info.h"

namespace ddlbench::kernels::cuda {

enum class Load { no, yes };

/// Of the CUDA runtime, cuDNN, cuBLASLt and NVRTC, in this order. Needs no driver. The last two are loaded to be asked,
/// and throw DeviceError where they cannot be, or have no `loaded`.
std::vector<LibraryVersion> library_versions(Load by_name);

/// The newest CUDA that the driver knows, as 1000·major + 10·minor; 0 where there is no driver.
int driver_cuda_version();

/// "13.0" of 13000.
std::string cuda_version_text(int version);

/// "580.65.06", asked of NVML, else of the kernel module; empty where neither says.
std::string driver_version();

}  // namespace ddlbench::kernels::cuda
