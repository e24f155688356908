#pragma once

#include <nlohmann/json.hpp>

#include "comm/nccl/nccl.h"
#include "kernels/gpu_info.h"

namespace ddlbench::bench {

/// Returns what results on GPUs depend on: each GPU, the driver, and why CUDA or NCCL cannot be used, if they cannot.
/// Unknown values are null.
nlohmann::json describe_gpus(const kernels::CudaInfo& cuda, const comm::NcclState& nccl);

/// Returns the GPU libraries, each with the version it was built against and the one that is loaded. Empty in a build
/// without them.
nlohmann::json gpu_libraries(const kernels::CudaInfo& cuda, const comm::NcclState& nccl);

}  // namespace ddlbench::bench
