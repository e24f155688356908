#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/elementwise.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(add, last)
DDLBENCH_OWN_KERNEL(weighted_sum, row_major)
DDLBENCH_OWN_KERNEL(keep_where, row_major)
DDLBENCH_OWN_KERNEL(activation_backward, last)
DDLBENCH_OWN_KERNEL(gelu, row_major)
DDLBENCH_OWN_KERNEL(gelu_backward, row_major)

}  // namespace ddlbench::kernels::cuda
