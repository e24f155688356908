#include "kernels/own/readiness.h"

#include "kernels/cuda/own_kernel.cuh"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(mark_ready, row_major)
DDLBENCH_OWN_KERNEL(confirm_ready, row_major)

}  // namespace ddlbench::kernels::cuda
