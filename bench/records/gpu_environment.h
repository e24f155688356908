#pragma once

#include <nlohmann/json.hpp>

#include "comm/nccl/nccl.h"
#include "kernels/gpu_info.h"

namespace ddlbench::bench {

/// What results on GPUs depend on: each GPU, the driver, and why CUDA or NCCL cannot be used where that is so. Unknown
/// values are null.
nlohmann::json describe_gpus(const kernels::CudaInfo& cuda, const comm::NcclState& nccl);

/// The libraries that GPUs are reached by, as they were built against and as they run; none in a build without them.
nlohmann::json gpu_libraries(const kernels::CudaInfo& cuda, const comm::NcclState& nccl);

}  // namespace ddlbench::bench
