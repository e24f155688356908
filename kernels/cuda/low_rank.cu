#include "kernels/own/low_rank.h"

#include "kernels/cuda/own_kernel.cuh"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(low_rank_project, row_major)
DDLBENCH_OWN_KERNEL(low_rank_orthogonalise, row_major)
DDLBENCH_OWN_KERNEL(low_rank_project_back, row_major)
DDLBENCH_OWN_KERNEL(low_rank_reconstruct, row_major)

}  // namespace ddlbench::kernels::cuda
