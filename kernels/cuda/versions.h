#pragma once

#include <string>
#include <vector>

#include "kernels/gpu_info.h"

namespace ddlbench::kernels::cuda {

enum class Load { no, yes };

/// Returns the versions of the CUDA runtime, cuDNN, cuBLASLt and NVRTC, in this order. Needs no driver. With Load::yes,
/// the last two are loaded, and DeviceError is thrown if that fails; with Load::no, their `loaded` is empty.
std::vector<LibraryVersion> library_versions(Load by_name);

/// Returns the newest CUDA version that the driver supports, as 1000·major + 10·minor; 0 if there is no driver.
int driver_cuda_version();

/// Returns "13.0" for 13000, and "" for 0.
std::string cuda_version_text(int version);

/// Returns the driver's version, as in "580.65.06", from NVML or else from the kernel module; empty if neither has it.
std::string driver_version();

}  // namespace ddlbench::kernels::cuda
