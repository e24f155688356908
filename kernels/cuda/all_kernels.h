#pragma once

#include "kernels/cuda/context.h"
#include "kernels/kernel_table.h"

namespace ddlbench::kernels::cuda {

/// Returns a table of all kernels of kernels/cuda/ops.h. `context` must outlive the table and its kernels.
KernelTable all_kernels(const Context& context);

}  // namespace ddlbench::kernels::cuda
