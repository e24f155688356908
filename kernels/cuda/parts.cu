#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/parts.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(split_parts, last)
DDLBENCH_OWN_KERNEL(join_parts, last)
DDLBENCH_OWN_KERNEL(slice, last)

}  // namespace ddlbench::kernels::cuda
