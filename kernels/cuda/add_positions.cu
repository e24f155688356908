#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/add_positions.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(add_positions, row_major)

}  // namespace ddlbench::kernels::cuda
