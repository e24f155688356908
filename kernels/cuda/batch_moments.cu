#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/batch_moments.h"
#include "kernels/own/statistics.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(batch_moments, last)
DDLBENCH_OWN_KERNEL(combine_moments, row_major)
DDLBENCH_OWN_KERNEL(batch_norm_backward_moments, last)
DDLBENCH_OWN_KERNEL(batch_norm_backward_weight, row_major)
DDLBENCH_OWN_KERNEL(observe_moments, row_major)
DDLBENCH_OWN_KERNEL(statistic_update, row_major)

}  // namespace ddlbench::kernels::cuda
