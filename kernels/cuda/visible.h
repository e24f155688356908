#pragma once

#include <string>

namespace ddlbench::kernels::cuda {

/// "CUDA_VISIBLE_DEVICES=0,1", or that it is not set: why a machine's GPUs are fewer here, or none.
std::string visible_devices();

}  // namespace ddlbench::kernels::cuda
