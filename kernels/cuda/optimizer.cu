#include "kernels/own/optimizer.h"

#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/loss_scale.h"
#include "kernels/own/norms.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(sgd_update, row_major)
DDLBENCH_OWN_KERNEL(adam_update, row_major)
DDLBENCH_OWN_KERNEL(lars_update, row_major)
DDLBENCH_OWN_KERNEL(lamb_measure, row_major)
DDLBENCH_OWN_KERNEL(lamb_update, row_major)
DDLBENCH_OWN_KERNEL(tensor_norms, row_major)
DDLBENCH_OWN_KERNEL(squared_norm, row_major)
DDLBENCH_OWN_KERNEL(loss_scale_update, row_major)

}  // namespace ddlbench::kernels::cuda
