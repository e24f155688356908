#include "kernels/own/cross_entropy.h"

#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/squared_error.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(cross_entropy, row_major)
DDLBENCH_OWN_KERNEL(cross_entropy_backward, row_major)
DDLBENCH_OWN_KERNEL(mean_squared_error, row_major)
DDLBENCH_OWN_KERNEL(mean_squared_error_backward, row_major)

}  // namespace ddlbench::kernels::cuda
