#pragma once

#include "kernels/kernel_table.h"

/// Naive loops that follow the definitions, sums in f64, one thread: the oracle of every other device.
namespace ddlbench::kernels::reference {

#define DDLBENCH_OP(name) void add_##name(KernelTable& table);
#include "kernels/ops.def"
#undef DDLBENCH_OP

/// All of the above.
KernelTable all_kernels();

}  // namespace ddlbench::kernels::reference
