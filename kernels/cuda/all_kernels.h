#pragma once

#include "kernels/cuda/context.h"
#include "kernels/kernel_table.h"

namespace ddlbench::kernels::cuda {

/// Those of kernels/cuda/ops.h, all of them. `context` outlives the table and its kernels.
KernelTable all_kernels(const Context& context);

}  // namespace ddlbench::kernels::cuda
