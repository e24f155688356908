#pragma once

#include "kernels/cuda/context.h"
#include "kernels/kernel_table.h"

/// Convolutions and attention by cuDNN, matrix products by cuBLASLt, the rest by kernels of this room. `context`
/// outlives the table and its kernels.
///
/// A rank's share may have no elements, so every op binds to sizes of 0. A grid without blocks is an error of CUDA, and
/// the libraries know no such size: an empty output launches nothing, and an output that sums over nothing becomes 0,
/// or what the op adds to the sum (a bias); with `accumulate` it stays.
///
/// No kernel can throw, so a label or token that is none reads nothing outside of its tables: it makes what depends on
/// it NaN (a loss, a row of logits' gradients, a row of an embedding), and the run finds that its loss is not finite.
/// An embedding's gradient, which has no row for such a token, leaves it out.
namespace ddlbench::kernels::cuda {

#define DDLBENCH_OP(name) void add_##name(KernelTable& table, const Context& context);
#include "kernels/ops.def"
#undef DDLBENCH_OP

}  // namespace ddlbench::kernels::cuda
