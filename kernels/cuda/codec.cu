#include "kernels/own/codec.h"

#include "kernels/cuda/own_kernel.cuh"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(encode, row_major)
DDLBENCH_OWN_KERNEL(decode, row_major)

}  // namespace ddlbench::kernels::cuda
