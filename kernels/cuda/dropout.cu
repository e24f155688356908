#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/cast.h"
#include "kernels/own/dropout.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(dropout, row_major)
DDLBENCH_OWN_KERNEL(cast, last)

}  // namespace ddlbench::kernels::cuda
