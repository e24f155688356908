#include "kernels/own/pool.h"

#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/pool_average.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(max_pool2d, last)
DDLBENCH_OWN_KERNEL(max_pool2d_backward, last)
DDLBENCH_OWN_KERNEL(average_pool2d, row_major)
DDLBENCH_OWN_KERNEL(average_pool2d_backward, row_major)
DDLBENCH_OWN_KERNEL(adaptive_average_pool2d, row_major)
DDLBENCH_OWN_KERNEL(adaptive_average_pool2d_backward, row_major)

}  // namespace ddlbench::kernels::cuda
