#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/column_sums.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(bias_backward, last)
DDLBENCH_OWN_KERNEL(add_positions_backward_weight, row_major)

}  // namespace ddlbench::kernels::cuda
