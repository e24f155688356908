#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/reblock.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(reblock, in_blocks)

}  // namespace ddlbench::kernels::cuda
