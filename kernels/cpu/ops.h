#pragma once

#include "kernels/cpu/context.h"
#include "kernels/kernel_table.h"

/// Convolutions and matrix products by oneDNN, the rest by loops of this room. `context` outlives the
/// table and its kernels.
namespace ddlbench::kernels::cpu {

#define DDLBENCH_OP(name) void add_##name(KernelTable& table, const Context& context);
#include "kernels/ops.def"
#undef DDLBENCH_OP

}  // namespace ddlbench::kernels::cpu
