#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/reorder.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(reorder, in_blocks)

}  // namespace ddlbench::kernels::cuda
