#pragma once

#include <string>

namespace ddlbench::kernels::cuda {

/// Returns "CUDA_VISIBLE_DEVICES=0,1", or that it is not set. This explains why fewer GPUs are visible than the machine
/// has.
std::string visible_devices();

}  // namespace ddlbench::kernels::cuda
