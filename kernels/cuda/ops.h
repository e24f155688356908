#pragma once

#include "kernels/cuda/context.h"
#include "kernels/kernel_table.h"

/// Adds kernels to a table: convolutions and 16-bit attention by cuDNN, matrix products by cuBLASLt, and our own
/// kernels for the rest. `context` must outlive the table and its kernels.
///
/// A rank's share may have no elements, so every op can be bound to sizes of 0. A grid without blocks is an error in
/// CUDA, and the libraries do not support such sizes. Therefore an empty output launches nothing, and an output that
/// sums over nothing becomes 0, or what the op adds to the sum (a bias); with `accumulate`, that is added to it.
///
/// A kernel cannot throw. For an invalid label or token, it reads nothing outside of its tables and makes everything
/// that depends on it NaN: a loss, a row of the logits' gradients, a row of an embedding. The run then detects that its
/// loss is not finite. The gradient of an embedding, which has no row for such a token, ignores it.
namespace ddlbench::kernels::cuda {

#define DDLBENCH_OP(name) void add_##name(KernelTable& table, const Context& context);
#include "kernels/ops.def"
#undef DDLBENCH_OP

}  // namespace ddlbench::kernels::cuda
