#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/batch_norm.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(batch_norm, last)
DDLBENCH_OWN_KERNEL(batch_norm_inference, last)
DDLBENCH_OWN_KERNEL(batch_norm_backward_input, last)

}  // namespace ddlbench::kernels::cuda
