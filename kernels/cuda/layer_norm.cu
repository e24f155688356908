#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/layer_norm.h"
#include "kernels/own/layer_norm_weight.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(layer_norm, row_major)
DDLBENCH_OWN_KERNEL(layer_norm_backward_input, row_major)
DDLBENCH_OWN_KERNEL(layer_norm_backward_weight, row_major)

}  // namespace ddlbench::kernels::cuda
