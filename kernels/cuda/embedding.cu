#include "kernels/cuda/own_kernel.cuh"
#include "kernels/own/embedding.h"

namespace ddlbench::kernels::cuda {

DDLBENCH_OWN_KERNEL(embedding, row_major)
DDLBENCH_OWN_KERNEL(embedding_backward_weight, row_major)

}  // namespace ddlbench::kernels::cuda
