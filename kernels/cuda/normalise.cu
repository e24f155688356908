#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/normalise.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(normalise, row_major)

}  // namespace ddlbench::kernels::cuda
